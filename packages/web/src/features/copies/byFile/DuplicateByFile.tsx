import type { TwinTarget, TwinUpload } from '@leitstand/contract/bulkDuplicate'
import type { CopyParts } from '@leitstand/contract/copies'
import { Alert, Button, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconDownload } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { formatNumber } from '../../../lib/format.ts'
import { AccountSelect } from '../../../ui/accounts/AccountSelect.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { notifyError } from '../../../ui/feedback/notify.ts'
import { EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import { FormModal } from '../../../ui/forms/FormModal.tsx'
import { useChanged } from '../../../ui/forms/useLeave.tsx'
import { Wizard } from '../../../ui/forms/Wizard.tsx'
import { download, toCsv } from '../../../ui/list/csv.ts'
import { CheckedRows, FileStep, proposedTitle, titleFits } from '../../batches/index.ts'
import { type ColumnChoice, columnFault } from '../../batches/pure.ts'
import { findTwins, nameTwin, type TwinActionProps } from '../../twins/index.ts'
import { PartChoices } from '../CopyFields.tsx'
import { allParts, templateTwinsMax } from '../choices.ts'
import { suggestedTwins, toTwinColumns, twinFields } from './fields.ts'
import { sampleOf } from './sample.ts'

type Preview = Awaited<ReturnType<typeof client.bulkDuplicate.preview>>

/** Copies a twin once per row of a file, in three steps: what is copied and where, file, dry run. */
export default function DuplicateByFile({ twin, onClose }: TwinActionProps) {
  const { t } = useTranslation()
  const small = useMediaQuery('(max-width: 599.98px)', undefined, { getInitialValueInEffect: false })
  return (
    <FormModal
      opened
      onClose={onClose}
      title={t('copies.byFile.heading', { title: twin.title })}
      size="min(960px, 100%)"
      fullScreen={small === true}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Steps twin={twin} onClose={onClose} />
    </FormModal>
  )
}

interface Place {
  parent: string | null
  account: string | null
}

function Steps({ twin, onClose }: TwinActionProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [place, setPlace] = useState<Place>({
    parent: twin.parentId === null ? null : String(twin.parentId),
    account: String(twin.accountId),
  })
  const [parts, setParts] = useState(allParts)
  const [upload, setUpload] = useState<TwinUpload>()
  const [choices, setChoices] = useState<ColumnChoice<TwinTarget>[]>([])
  const [asked, setAsked] = useState(false)
  const [preview, setPreview] = useState<Preview>()
  const [skipFaulty, setSkipFaulty] = useState(false)
  const [ownTitle, setTitle] = useState<string | null>(null)
  const [confirmed, setConfirmed] = useState(false)
  const [finished, setFinished] = useState(false)
  const edited = useChanged({ place, parts })
  const contents = useQuery(
    api.twinCopy.contents.queryOptions({ input: { id: twin.id, descendants: parts.descendants } }),
  )
  const title = ownTitle ?? (upload ? proposedTitle(upload.fileName) : '')

  const definition = (uploadId: string) => ({
    id: twin.id,
    ...(place.parent === null ? { accountId: Number(place.account) } : { parentId: Number(place.parent) }),
    ...parts,
    twinsData: { uploadId, columns: toTwinColumns(choices) },
  })

  const start = async () => {
    setConfirmed(true)
    if (!upload || !preview || !titleFits(title)) return
    if (preview.valid === 0 || preview.rows > preview.rowsMax || (preview.faulty > 0 && !skipFaulty)) return
    const { id } = await client.bulkDuplicate.run({ ...definition(upload.id), title, skipFaulty })
    setFinished(true)
    onClose()
    void navigate({ to: '/background-jobs', search: { job: String(id) }, ignoreBlocker: true })
  }

  return (
    <Wizard
      dirty={(upload !== undefined || edited) && !finished}
      finishLabel={preview ? t('copies.byFile.run', { count: preview.valid }) : t('copies.byFile.runUnknown')}
      onFinish={start}
      onCancel={onClose}
      steps={[
        {
          key: 'define',
          label: t('copies.byFile.step.define'),
          content: (
            <Stack gap="md" maw={640}>
              <Text size="sm">{t('copies.byFile.text')}</Text>
              <Where value={place} onChange={setPlace} />
              {contents.isLoadingError ? (
                <ErrorState error={contents.error} onRetry={() => void contents.refetch()} compact />
              ) : contents.data ? (
                <PartChoices
                  contents={{ ...contents.data, twinsMax: templateTwinsMax }}
                  parts={parts}
                  onChange={setParts}
                />
              ) : (
                <Loading lines={6} />
              )}
            </Stack>
          ),
          validate: () =>
            (contents.data?.twins ?? templateTwinsMax + 1) <= templateTwinsMax &&
            (place.parent !== null || place.account !== null),
        },
        {
          key: 'upload',
          label: t('bulk.import.step.upload'),
          content: (
            <FileStep
              send={(file) => client.bulkDuplicate.upload({ file })}
              fields={twinFields}
              upload={upload}
              choices={choices}
              asked={asked}
              onUpload={(uploaded) => {
                setUpload(uploaded)
                setChoices(uploaded ? suggestedTwins(uploaded) : [])
              }}
              onChange={setChoices}
            >
              <SampleButton twin={twin} />
            </FileStep>
          ),
          validate: async () => {
            setAsked(true)
            if (!upload || columnFault(choices, twinFields) !== null) return false
            setPreview(await client.bulkDuplicate.preview(definition(upload.id)))
            return true
          },
        },
        {
          key: 'confirm',
          label: t('bulk.import.step.confirm'),
          content: preview ? (
            <CheckedRows
              preview={preview}
              of={t('jobs.rows.twin')}
              tooMany={tooMany(preview, t)}
              skipFaulty={skipFaulty}
              onSkip={setSkipFaulty}
              title={title}
              onTitle={setTitle}
              confirmed={confirmed}
            >
              <Amount preview={preview} parts={parts} />
            </CheckedRows>
          ) : null,
        },
      ]}
    />
  )
}

function tooMany({ rows, rowsMax }: Preview, t: ReturnType<typeof useTranslation>['t']): string | null {
  return rows > rowsMax ? t('copies.byFile.tooMany', { max: formatNumber(rowsMax, 0), count: rows }) : null
}

/** How many twins all copies have together. */
function Amount({ preview: { valid, twins }, parts }: { preview: Preview; parts: CopyParts }) {
  const { t } = useTranslation()
  if (valid === 0 || twins === 1 || !parts.descendants) return null
  return <Alert color="gray">{t('copies.byFile.amount', { each: twins, count: valid * twins })}</Alert>
}

function Where({ value, onChange }: { value: Place; onChange: (value: Place) => void }) {
  const { t } = useTranslation()
  return (
    <>
      <EntityPicker
        isFirst
        label={t('twins.parent')}
        description={t('copies.byFile.parentHint')}
        placeholder={t('twins.noParent')}
        value={value.parent}
        onChange={(parent) => onChange({ ...value, parent })}
        load={findTwins}
        labelOf={nameTwin}
      />
      {value.parent === null ? (
        <AccountSelect
          label={t('twins.account')}
          required
          value={value.account}
          onChange={(account) => onChange({ ...value, account })}
        />
      ) : null}
    </>
  )
}

function SampleButton({ twin }: Pick<TwinActionProps, 'twin'>) {
  const { t } = useTranslation()
  const load = useMutation({
    mutationFn: () => client.digitaltwin.get({ id: twin.id }),
    onSuccess: (template) => {
      const { header, rows } = sampleOf(
        template,
        (column) => t(column === 'parent' ? 'twins.parent' : `bulk.import.target.${column}`),
        (type) => t(`twins.types.${type}`),
      )
      download(`${t('copies.byFile.sampleName')}.csv`, toCsv(header, rows))
    },
    onError: (error) => notifyError(error),
  })
  return (
    <Button
      variant="default"
      leftSection={<Icon of={IconDownload} size={16} />}
      loading={load.isPending}
      onClick={() => load.mutate()}
    >
      {t('copies.byFile.sample')}
    </Button>
  )
}
