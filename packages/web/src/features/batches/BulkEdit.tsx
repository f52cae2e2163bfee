import type { BulkSelection } from '@leitstand/contract/bulk'
import { Alert, Checkbox, Radio, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { useCan } from '../../lib/session.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { Wizard } from '../../ui/forms/Wizard.tsx'
import { useFirstUse } from '../drivers/index.ts'
import bulkClasses from './bulk.module.css'
import { ChangesStep } from './ChangesStep.tsx'
import { ChangesSummary, NameOf } from './ChangesSummary.tsx'
import { type ChangeValues, driverIdOf, isEmpty, noChanges, overlaps, toChanges } from './changes.ts'
import { JobTitle, proposedTitle, titleFits } from './JobTitle.tsx'
import { LinkStep } from './LinkStep.tsx'

interface BulkEditProps {
  selection: BulkSelection
  onClose: () => void
}

const modes = ['edit', 'link', 'delete'] as const
type Mode = (typeof modes)[number]

/** Changes or deletes many devices in two steps: what to do, and its job. */
export default function BulkEdit({ selection, onClose }: BulkEditProps) {
  const { t } = useTranslation()
  const counted = useQuery(api.bulk.selection.queryOptions({ input: { selection } }))
  if (counted.isLoadingError)
    return <ErrorState error={counted.error} onRetry={() => void counted.refetch()} />
  if (!counted.data) return <Loading />
  const { devices, devicesMax, remote, accounts } = counted.data
  return (
    <Stack gap="md">
      <div>
        <Title order={1}>{t('bulk.title')}</Title>
        <Text c="dimmed">{t('bulk.devices', { count: devices })}</Text>
      </div>
      {devices > devicesMax ? (
        <Alert color="red">{t('bulk.tooMany', { max: formatNumber(devicesMax, 0), count: devices })}</Alert>
      ) : null}
      <EditWizard
        selection={selection}
        devices={devices}
        remote={remote}
        tooMany={devices > devicesMax}
        accounts={accounts}
        onClose={onClose}
      />
    </Stack>
  )
}

const runTexts: Record<Mode, string> = {
  edit: 'bulk.runEdit',
  link: 'bulk.runLink',
  delete: 'bulk.runDelete',
}

interface WizardProps extends BulkEditProps {
  devices: number
  /** how many of them could also be deleted at a network server */
  remote: number
  tooMany: boolean
  accounts: readonly { id: number; name: string }[]
}

function EditWizard({ selection, devices, remote, tooMany, accounts, onClose }: WizardProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const accountIds = accounts.map(({ id }) => id)
  const sameAccount = accountIds.length <= 1
  const [mode, setMode] = useState<Mode>('edit')
  const [templateId, setTemplateId] = useState<string | null>(null)
  const [values, setValues] = useState<ChangeValues>(noChanges)
  const [remotely, setRemotely] = useState(false)
  const [missing, setMissing] = useState(false)
  const [ownTitle, setTitle] = useState<string | null>(null)
  const title = ownTitle ?? proposedTitle(t(runTexts[mode], { count: devices }))
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState(false)
  const [finished, setFinished] = useState(false)
  const firstUse = useFirstUse()
  const dirty = values !== noChanges || templateId !== null || ownTitle !== null

  const start = async () => {
    setAsked(true)
    if (!titleFits(title) || (mode === 'delete' && Number(typed) !== devices)) return
    const driverId = mode === 'edit' ? driverIdOf(values) : null
    const accepted = await firstUse.ask({ driverId, driverVersion: null, accountId: accountIds[0] ?? 0 })
    if (accepted === null) return
    const { id } = await client.bulk.edit({
      title,
      selection,
      mode:
        mode === 'edit'
          ? { kind: 'edit', changes: toChanges(values, accepted) }
          : mode === 'link'
            ? { kind: 'link', templateId: Number(templateId) }
            : { kind: 'delete', count: devices, delete_remotely: remotely },
    })
    setFinished(true)
    void navigate({ to: '/background-jobs', search: { job: String(id) }, ignoreBlocker: true })
  }

  return (
    <>
      <Wizard
        dirty={dirty && !finished}
        dangerous={mode === 'delete'}
        finishLabel={t(runTexts[mode], { count: devices })}
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
                <ModeCards mode={mode} accounts={accounts} onChange={setMode} />
                {mode === 'delete' ? (
                  <Stack gap="md" maw={640}>
                    <Alert color="red">{t('bulk.deleteHint')}</Alert>
                    {remote === 0 ? null : (
                      <Checkbox
                        label={t('bulk.deleteRemotely')}
                        description={t('bulk.deleteRemotelyHint', { count: remote })}
                        checked={remotely}
                        onChange={(event) => setRemotely(event.currentTarget.checked)}
                      />
                    )}
                  </Stack>
                ) : mode === 'link' ? (
                  <LinkStep
                    accountIds={accountIds}
                    value={templateId}
                    missing={missing}
                    onChange={(id) => {
                      setMissing(false)
                      setTemplateId(id)
                    }}
                  />
                ) : (
                  <ChangesStep
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
              if (tooMany) return false
              const nothing = mode === 'edit' ? isEmpty(values) : mode === 'link' && templateId === null
              setMissing(nothing)
              return !nothing && (mode !== 'edit' || overlaps(values).length === 0)
            },
          },
          {
            key: 'apply',
            label: t('bulk.step.apply'),
            content: (
              <Stack gap="md" maw={640}>
                {mode === 'edit' ? <ChangesSummary values={values} /> : null}
                {mode === 'link' && templateId !== null ? (
                  <Fact label={t('devices.field.template')}>
                    <NameOf kind="template" id={templateId} />
                  </Fact>
                ) : null}
                <JobTitle value={title} onChange={setTitle} asked={asked} />
                {mode === 'delete' ? (
                  <TextInput
                    label={t('bulk.typeCount')}
                    description={t('bulk.typeCountHint', { count: devices })}
                    inputMode="numeric"
                    required
                    value={typed}
                    onChange={(event) => setTyped(event.currentTarget.value.trim())}
                    error={asked && Number(typed) !== devices ? t('errors.BULK_COUNT') : undefined}
                  />
                ) : null}
                <Text size="sm">{t('bulk.background')}</Text>
              </Stack>
            ),
          },
        ]}
      />
      {firstUse.dialog}
    </>
  )
}

function ModeCards({
  mode,
  accounts,
  onChange,
}: {
  mode: Mode
  accounts: WizardProps['accounts']
  onChange: (mode: Mode) => void
}) {
  const { t } = useTranslation()
  const can = useCan()
  const reads = can('DeviceTemplate', 'read') || can('DeviceTemplate', 'manage')
  return (
    <Stack gap="md">
      {accounts.length > 1 ? <SeveralAccounts accounts={accounts} /> : null}
      <Radio.Group
        label={t('bulk.mode.question')}
        value={mode}
        onChange={(value) => onChange(modes.find((each) => each === value) ?? 'edit')}
      >
        <div className={bulkClasses.cards}>
          {modes
            .filter((each) => each !== 'link' || reads)
            .map((each) => (
              <Radio.Card key={each} value={each} className={bulkClasses.card ?? ''}>
                <span className={bulkClasses.cardHead}>
                  <Radio.Indicator size="xs" />
                  {t(`bulk.mode.${each}`)}
                </span>
                <Text size="sm" c="dimmed" mt={4}>
                  {t(`bulk.mode.${each}Text`)}
                </Text>
              </Radio.Card>
            ))}
        </div>
      </Radio.Group>
    </Stack>
  )
}

/** Maximum accounts named in a sentence. */
const namedMax = 5

/** Said before anything is entered: what is not possible for devices of several accounts. */
function SeveralAccounts({ accounts }: { accounts: WizardProps['accounts'] }) {
  const { t } = useTranslation()
  const names = accounts.slice(0, namedMax).map(({ name }) => name)
  return (
    <Alert color="yellow" title={t('bulk.accountsTitle', { count: accounts.length })}>
      {[...names, ...(accounts.length > namedMax ? ['…'] : [])].join(', ')}. {t('bulk.severalAccounts')}
    </Alert>
  )
}
