import {
  BulkExport,
  type ExportDefinition,
  type ExportSelection,
  exportFormats,
  exportMethods,
  exportTimeFormats,
} from '@leitstand/contract/exports'
import type { BackgroundJob } from '@leitstand/contract/jobs'
import { aggregationDurations } from '@leitstand/contract/series'
import {
  Alert,
  Button,
  Fieldset,
  MultiSelect,
  SegmentedControl,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatDate, formatNumber } from '../../lib/format.ts'
import { currentLanguage } from '../../lib/i18n.ts'
import { check } from '../../lib/validation.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { DateTimeField } from '../../ui/forms/DateTimeField.tsx'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { ColumnList } from './ColumnList.tsx'
import classes from './exports.module.css'
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
  const keys = found.data?.keys.map(({ key, title }) => ({
    value: key,
    label: title === key ? key : `${title} (${key})`,
  }))
  return (
    <DialogForm form={form} saveLabel={saved ? t('common.save') : t('exports.start')}>
      {found.error ? <ErrorText error={found.error} /> : null}
      {found.data ? (
        <Text size="sm" c="dimmed" aria-live="polite">
          {t(selection.of === 'digitalTwins' ? 'exports.twinsFound' : 'exports.devicesFound', {
            count: found.data.objects,
            number: formatNumber(found.data.objects, 0),
          })}{' '}
          {'ids' in selection ? null : t('exports.foundAgain')}
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
      <MultiSelect
        label={t('exports.states')}
        placeholder={values.stateKeys.length === 0 ? t('exports.allStates') : ''}
        data={keys ?? values.stateKeys}
        searchable
        clearable
        maxValues={100}
        value={values.stateKeys}
        onChange={(stateKeys) => set({ stateKeys })}
      />
      <Period values={values} set={set} faultAt={faultAt} />
      <Kind values={values} set={set} />
      <div>
        <Text size="sm" fw={500} mb={4}>
          {t('exports.format')}
        </Text>
        <SegmentedControl
          fullWidth
          aria-label={t('exports.format')}
          data={exportFormats.map((format) => ({ value: format, label: t(`exports.formats.${format}`) }))}
          value={values.format}
          onChange={(format) => set({ format: format as FormValues['format'] })}
        />
      </div>
      <Select
        label={t('exports.layout')}
        allowDeselect={false}
        data={(['long', 'wide'] as const).map((layout) => ({
          value: layout,
          label: t(`exports.layouts.${layout}`),
        }))}
        value={values.layout}
        onChange={(layout) => set({ layout: layout === 'wide' ? 'wide' : 'long' })}
      />
      <Details values={values} set={set} faultAt={faultAt} />
      {values.format === 'xlsx' ? null : (
        <Switch
          label={t('exports.zip')}
          checked={values.zip}
          onChange={(event) => set({ zip: event.currentTarget.checked })}
        />
      )}
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

/** Columns and format, rarely changed: folded unless opened or invalid. */
function Details({
  values,
  set,
  faultAt,
}: PartProps & { faultAt: (name: keyof FormValues & string) => string | null }) {
  const { t } = useTranslation()
  const [opened, setOpened] = useState(false)
  const isCsv = values.format === 'csv'
  const shown = opened || faultAt('columns') !== null
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        aria-expanded={shown}
        rightSection={<Icon of={shown ? IconChevronUp : IconChevronDown} size={14} />}
        onClick={() => setOpened(!opened)}
      >
        {t('exports.details')}
      </Button>
      {shown ? (
        <Stack gap="md" mt="sm">
          <Fieldset legend={t('exports.columns')}>
            <ColumnList
              columns={values.columns[values.layout]}
              onChange={(columns) => set({ columns: { ...values.columns, [values.layout]: columns } })}
            />
            {faultAt('columns') ? (
              <Alert color="red" mt="sm">
                {t('exports.noColumns')}
              </Alert>
            ) : null}
            {values.layout === 'wide' ? (
              <Text size="xs" c="dimmed" mt={8}>
                {t('exports.wideHint')}
              </Text>
            ) : null}
          </Fieldset>
          {isCsv ? <CsvFields values={values} set={set} /> : null}
          {isCsv || values.format === 'xlsx' ? (
            <Switch
              label={t('exports.header')}
              checked={values.header}
              onChange={(event) => set({ header: event.currentTarget.checked })}
            />
          ) : null}
        </Stack>
      ) : null}
    </div>
  )
}

interface PartProps {
  values: FormValues
  set: (change: Partial<FormValues>) => void
}

function Period({
  values,
  set,
  faultAt,
}: PartProps & { faultAt: (name: keyof FormValues & string) => string | null }) {
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

/** Which values: as measured, by interval, or what a meter showed. */
function Kind({ values, set }: PartProps) {
  const { t } = useTranslation()
  const durations = aggregationDurations.map((each) => ({
    value: each,
    label: t(`exports.durations.${each}`),
  }))
  return (
    <>
      <Select
        label={t('exports.kind')}
        allowDeselect={false}
        data={(['raw', 'interval', 'reading'] as const).map((kind) => ({
          value: kind,
          label: t(`exports.kinds.${kind}`),
        }))}
        value={values.kind}
        onChange={(kind) => set({ kind: kind as FormValues['kind'] })}
      />
      {values.kind === 'raw' ? null : (
        <div className={classes.two}>
          {values.kind === 'interval' ? (
            <Select
              label={t('exports.method')}
              allowDeselect={false}
              data={exportMethods.map((method) => ({ value: method, label: t(`exports.methods.${method}`) }))}
              value={values.method}
              onChange={(method) => set({ method: method as FormValues['method'] })}
            />
          ) : null}
          <Select
            label={t(values.kind === 'interval' ? 'exports.duration' : 'exports.cutOff')}
            allowDeselect={false}
            data={durations}
            value={values.duration}
            onChange={(duration) => set({ duration: duration as FormValues['duration'] })}
          />
        </div>
      )}
    </>
  )
}

/** Times that say more than the name of their format. */
const examples = { local: '2026-11-23 14:03:09', german: '23.11.2026 14:03:09' } as const

function CsvFields({ values, set }: PartProps) {
  const { t } = useTranslation()
  return (
    <div className={classes.two}>
      <Select
        label={t('exports.separator')}
        allowDeselect={false}
        data={[
          { value: '', label: t('exports.asLanguage') },
          { value: ';', label: t('exports.separators.semicolon') },
          { value: ',', label: t('exports.separators.comma') },
          { value: '\t', label: t('exports.separators.tab') },
        ]}
        value={values.separator}
        onChange={(separator) => set({ separator: separator as FormValues['separator'] })}
      />
      <Select
        label={t('exports.decimal')}
        allowDeselect={false}
        data={[
          { value: '', label: t('exports.asLanguage') },
          { value: ',', label: t('exports.separators.comma') },
          { value: '.', label: t('exports.separators.point') },
        ]}
        value={values.decimal}
        onChange={(decimal) => set({ decimal: decimal as FormValues['decimal'] })}
      />
      <Select
        label={t('exports.timeFormat')}
        allowDeselect={false}
        data={exportTimeFormats.map((each) => ({
          value: each,
          label:
            each in examples ? examples[each as keyof typeof examples] : t(`exports.timeFormats.${each}`),
        }))}
        value={values.timeFormat}
        onChange={(timeFormat) => set({ timeFormat: timeFormat as FormValues['timeFormat'] })}
      />
    </div>
  )
}
