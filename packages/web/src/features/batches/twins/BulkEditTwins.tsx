import type { TwinSelection } from '@leitstand/contract/twinBulk'
import { Alert, Radio, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { formatNumber } from '../../../lib/format.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { Wizard } from '../../../ui/forms/Wizard.tsx'
import bulkClasses from '../bulk.module.css'
import { JobTitle, proposedTitle, titleFits } from '../JobTitle.tsx'
import { TwinChangesStep } from './TwinChangesStep.tsx'
import { TwinChangesSummary } from './TwinChangesSummary.tsx'
import { isEmptyChange, noTwinChanges, type TwinValues, toTwinChanges, twinOverlaps } from './twinChanges.ts'

interface BulkEditProps {
  selection: TwinSelection
  onClose: () => void
}

const modes = ['edit', 'delete'] as const
type Mode = (typeof modes)[number]

const runTexts: Record<Mode, string> = { edit: 'twinBulk.runEdit', delete: 'twinBulk.runDelete' }

/** Changes or deletes many twins in two steps: what to do, and its job. */
export default function BulkEditTwins({ selection, onClose }: BulkEditProps) {
  const { t } = useTranslation()
  const counted = useQuery(api.twinBulk.selection.queryOptions({ input: { selection } }))
  if (counted.isLoadingError)
    return <ErrorState error={counted.error} onRetry={() => void counted.refetch()} />
  if (!counted.data) return <Loading />
  const { twins, twinsMax, accounts } = counted.data
  return (
    <Stack gap="md">
      <div>
        <Title order={1}>{t('twinBulk.title')}</Title>
        <Text c="dimmed">{t('twinBulk.twins', { count: twins })}</Text>
      </div>
      {twins > twinsMax ? (
        <Alert color="red">{t('twinBulk.tooMany', { max: formatNumber(twinsMax, 0), count: twins })}</Alert>
      ) : null}
      <EditWizard
        selection={selection}
        twins={twins}
        isTooMany={twins > twinsMax}
        sameAccount={accounts.length <= 1}
        onClose={onClose}
      />
    </Stack>
  )
}

interface WizardProps extends BulkEditProps {
  twins: number
  isTooMany: boolean
  sameAccount: boolean
}

function EditWizard({ selection, twins, isTooMany, sameAccount, onClose }: WizardProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [mode, setMode] = useState<Mode>('edit')
  const [values, setValues] = useState<TwinValues>(noTwinChanges)
  const [missing, setMissing] = useState(false)
  const [ownTitle, setTitle] = useState<string | null>(null)
  const title = ownTitle ?? proposedTitle(t(runTexts[mode], { count: twins }))
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState(false)
  const [finished, setFinished] = useState(false)

  const start = async () => {
    setAsked(true)
    if (!titleFits(title) || (mode === 'delete' && Number(typed) !== twins)) return
    const { id } = await client.twinBulk.edit({
      title,
      selection,
      mode:
        mode === 'edit' ? { kind: 'edit', changes: toTwinChanges(values) } : { kind: 'delete', count: twins },
    })
    setFinished(true)
    void navigate({ to: '/background-jobs', search: { job: String(id) }, ignoreBlocker: true })
  }

  return (
    <Wizard
      dirty={(values !== noTwinChanges || ownTitle !== null) && !finished}
      dangerous={mode === 'delete'}
      finishLabel={t(runTexts[mode], { count: twins })}
      onFinish={start}
      onCancel={() => {
        setFinished(true)
        onClose()
      }}
      steps={[
        {
          key: 'changes',
          label: t('bulk.step.changes'),
          content: (
            <Stack gap="lg">
              <ModeCards mode={mode} onChange={setMode} />
              {mode === 'delete' ? (
                <Alert color="red">{t('twinBulk.deleteHint')}</Alert>
              ) : (
                <TwinChangesStep
                  values={values}
                  sameAccount={sameAccount}
                  missing={missing}
                  onChange={(changed) => {
                    setMissing(false)
                    setValues((before) => ({ ...before, ...changed }))
                  }}
                />
              )}
            </Stack>
          ),
          validate: () => {
            if (isTooMany) return false
            if (mode === 'delete') return true
            const nothing = isEmptyChange(values)
            setMissing(nothing)
            return !nothing && twinOverlaps(values).length === 0
          },
        },
        {
          key: 'apply',
          label: t('bulk.step.apply'),
          content: (
            <Stack gap="md" maw={640}>
              {mode === 'edit' ? <TwinChangesSummary values={values} /> : null}
              <JobTitle value={title} onChange={setTitle} asked={asked} />
              {mode === 'delete' ? (
                <TextInput
                  label={t('twinBulk.typeCount')}
                  description={t('bulk.typeCountHint', { count: twins })}
                  inputMode="numeric"
                  required
                  value={typed}
                  onChange={(event) => setTyped(event.currentTarget.value.trim())}
                  error={asked && Number(typed) !== twins ? t('twinBulk.countWrong') : undefined}
                />
              ) : null}
              <Text size="sm">
                {t('bulk.background')} {mode === 'edit' ? t('twinBulk.undoHint') : null}
              </Text>
            </Stack>
          ),
        },
      ]}
    />
  )
}

function ModeCards({ mode, onChange }: { mode: Mode; onChange: (mode: Mode) => void }) {
  const { t } = useTranslation()
  return (
    <Radio.Group
      label={t('twinBulk.question')}
      value={mode}
      onChange={(value) => onChange(modes.find((each) => each === value) ?? 'edit')}
    >
      <div className={bulkClasses.cards}>
        {modes.map((each) => (
          <Radio.Card key={each} value={each} className={bulkClasses.card ?? ''}>
            <span className={bulkClasses.cardHead}>
              <Radio.Indicator size="xs" />
              {t(`bulk.mode.${each}`)}
            </span>
            <Text size="sm" c="dimmed" mt={4}>
              {t(`twinBulk.${each}Text`)}
            </Text>
          </Radio.Card>
        ))}
      </div>
    </Radio.Group>
  )
}
