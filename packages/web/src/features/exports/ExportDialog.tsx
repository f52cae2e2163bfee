import { BulkExport, type ExportDefinition, type ExportSelection } from '@leitstand/contract/exports'
import type { BackgroundJob } from '@leitstand/contract/jobs'
import { Select, Switch, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatDate, formatNumber } from '../../lib/format.ts'
import { currentLanguage } from '../../lib/i18n.ts'
import { check } from '../../lib/validation.ts'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { DateTimeField } from '../../ui/forms/DateTimeField.tsx'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import classes from './exports.module.css'
import { type FaultyProps, FormatFields, StatesField, ValuesFields } from './fields.tsx'
import { type FormValues, initialValues, ownPeriod, periods, requestOf, valuesOf } from './form.ts'

interface ExportDialogProps {
  /** of what is exported; empty: several things */
  title: string
  selection: ExportSelection
  /** changed instead of starting an export */
  saved?: ExportDefinition
  onClose: () => void
}

const titleMax = 100
const zones = Intl.supportedValuesOf('timeZone')
const checkRequest = check(BulkExport)

/** Sets an export up: what, which period, which file. Starts it, or changes a saved one. */
export default function ExportDialog({ title, selection, saved, onClose }: ExportDialogProps) {
  const { t } = useTranslation()
  return (
    <FormModal
      opened
      onClose={onClose}
      title={saved ? t('exports.change') : title ? t('exports.titleOf', { title }) : t('exports.title')}
      size="lg"
    >
      <ExportForm title={title} selection={selection} {...(saved ? { saved } : {})} onClose={onClose} />
    </FormModal>
  )
}

function useExportForm({ title, selection, saved, onClose }: ExportDialogProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const navigate = useNavigate()
  return useDialogForm<FormValues, BackgroundJob>({
    initial: () => {
      if (saved) return valuesOf(saved.request)
      const proposed = `${title || t('exports.values')}, ${formatDate(Date.now())}`
      return initialValues(proposed.slice(-titleMax), Intl.DateTimeFormat().resolvedOptions().timeZone)
    },
    faultsOf: (values) => faultsOf(values, selection),
    save: async (values) => {
      const request = requestOf(values, selection, currentLanguage())
      if (saved) {
        await client.exporting.updateDefinition({
          id: saved.id,
          version: saved.version,
          title: request.title,
          request,
        })
        await cache.invalidateQueries({ queryKey: api.exporting.definitions.key() })
        return null
      }
      if (values.saves) await client.exporting.createDefinition({ title: request.title, request })
      return client.exporting.bulk(request)
    },
    onMade: async (job) => {
      onClose()
      await cache.invalidateQueries({ queryKey: api.job.key() })
      await navigate({ to: '/background-jobs', search: { job: String(job.id) } })
    },
    onClose,
  })
}

/** Faults by field of the form. */
function faultsOf(values: FormValues, selection: ExportSelection): Record<string, string> {
  const faults = checkRequest(requestOf(values, selection, currentLanguage()))
  return Object.fromEntries(
    Object.entries(faults).map(([path, text]) => [
      path.replace(/^range\.(start|end)$/, '$1').replace(/^formatting\.(\w+).*$/, '$1'),
      text,
    ]),
  )
}

function ExportForm(props: ExportDialogProps) {
  const { t } = useTranslation()
  const { values, set, faultAt, form } = useExportForm(props)
  const { saved, selection } = props
  const found = useQuery(api.exporting.preview.queryOptions({ input: { selection } }))
  return (
    <DialogForm form={form} saveLabel={saved ? t('common.save') : t('exports.start')}>
      {found.error ? <ErrorText error={found.error} /> : null}
      {found.data ? (
        <Text size="sm" c="dimmed" aria-live="polite">
          {t(selection.of === 'digitalTwins' ? 'exports.twinsFound' : 'exports.devicesFound', {
            count: found.data.objects,
            number: formatNumber(found.data.objects, 0),
          })}{' '}
          {'ids' in selection ? null : t('exports.foundAgain')}{' '}
          {saved ? null : (
            <RouterLink
              underline="always"
              to={`/scheduled-exports?create=1&selection=${encodeURIComponent(JSON.stringify(selection))}`}
            >
              {t('exports.regularly')}
            </RouterLink>
          )}
        </Text>
      ) : null}
      <TextInput
        label={t('exports.name')}
        required
        maxLength={titleMax}
        value={values.title}
        error={faultAt('title')}
        onChange={(event) => set({ title: event.currentTarget.value })}
      />
      <StatesField keys={found.data?.keys} values={values} set={set} />
      <Period values={values} set={set} faultAt={faultAt} />
      <ValuesFields values={values} set={set} />
      <FormatFields values={values} set={set} faultAt={faultAt} />
      <Switch
        label={t('exports.notify')}
        checked={values.notify}
        onChange={(event) => set({ notify: event.currentTarget.checked })}
      />
      {saved ? null : (
        <Switch
          label={t('exports.saves')}
          description={t('exports.savesHint')}
          checked={values.saves}
          onChange={(event) => set({ saves: event.currentTarget.checked })}
        />
      )}
    </DialogForm>
  )
}

function Period({ values, set, faultAt }: FaultyProps) {
  const { t } = useTranslation()
  return (
    <>
      <div className={classes.two}>
        <Select
          label={t('exports.period')}
          allowDeselect={false}
          data={[...periods, ownPeriod].map((each) => ({ value: each, label: t(`exports.periods.${each}`) }))}
          value={values.range}
          onChange={(range) => set({ range: range ?? ownPeriod })}
        />
        <Select
          label={t('exports.timeZone')}
          searchable
          allowDeselect={false}
          data={[...new Set(['UTC', values.timeZone, ...zones])]}
          value={values.timeZone}
          error={faultAt('timeZone')}
          onChange={(timeZone) => set({ timeZone: timeZone ?? values.timeZone })}
        />
      </div>
      {values.range === ownPeriod ? (
        <div className={classes.two}>
          <DateTimeField
            label={t('timeRange.from')}
            value={values.start}
            error={faultAt('start')}
            onChange={(start) => set({ start })}
          />
          <DateTimeField
            label={t('timeRange.to')}
            value={values.end}
            error={faultAt('end')}
            onChange={(end) => set({ end })}
          />
        </div>
      ) : null}
    </>
  )
}
