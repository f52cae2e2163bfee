import type { BulkSelection } from '@leitstand/contract/bulk'
import { Alert, Checkbox, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { useCan } from '../../lib/session.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { useFirstUse } from '../drivers/index.ts'
import { BulkWizard } from './BulkWizard.tsx'
import { ChangesStep } from './ChangesStep.tsx'
import { ChangesSummary, NameOf } from './ChangesSummary.tsx'
import { type ChangeValues, driverIdOf, isEmpty, noChanges, overlaps, toChanges } from './changes.ts'
import { LinkStep } from './LinkStep.tsx'

interface BulkEditProps {
  selection: BulkSelection
  onClose: () => void
}

const modes = ['edit', 'link', 'delete'] as const
type Mode = (typeof modes)[number]

const runTexts: Record<Mode, string> = {
  edit: 'bulk.runEdit',
  link: 'bulk.runLink',
  delete: 'bulk.runDelete',
}

/** Changes, links or deletes many devices. */
export default function BulkEdit({ selection, onClose }: BulkEditProps) {
  const counted = useQuery(api.bulk.selection.queryOptions({ input: { selection } }))
  if (counted.isLoadingError)
    return <ErrorState error={counted.error} onRetry={() => void counted.refetch()} />
  return counted.data ? (
    <EditDevices selection={selection} found={counted.data} onClose={onClose} />
  ) : (
    <Loading />
  )
}

type Found = Awaited<ReturnType<typeof client.bulk.selection>>

function EditDevices({ selection, found, onClose }: BulkEditProps & { found: Found }) {
  const { t } = useTranslation()
  const can = useCan()
  const { devices, devicesMax, remote, accounts } = found
  const accountIds = accounts.map(({ id }) => id)
  const [mode, setMode] = useState<Mode>('edit')
  const [templateId, setTemplateId] = useState<string | null>(null)
  const [values, setValues] = useState<ChangeValues>(noChanges)
  const [remotely, setRemotely] = useState(false)
  const [missing, setMissing] = useState(false)
  const firstUse = useFirstUse()
  const reads = can('DeviceTemplate', 'read') || can('DeviceTemplate', 'manage')

  const start = async (title: string) => {
    const driverId = mode === 'edit' ? driverIdOf(values) : null
    const accepted = await firstUse.ask({ driverId, driverVersion: null, accountId: accountIds[0] ?? 0 })
    if (accepted === null) return null
    return client.bulk.edit({
      title,
      selection,
      mode:
        mode === 'edit'
          ? { kind: 'edit', changes: toChanges(values, accepted) }
          : mode === 'link'
            ? { kind: 'link', templateId: Number(templateId) }
            : { kind: 'delete', count: devices, delete_remotely: remotely },
    })
  }

  const fields: Record<Mode, () => ReactNode> = {
    edit: () => (
      <ChangesStep
        values={values}
        sameAccount={accountIds.length <= 1}
        missing={missing}
        onChange={(changed) => {
          setMissing(false)
          setValues((before) => ({ ...before, ...changed }))
        }}
      />
    ),
    link: () => (
      <LinkStep
        accountIds={accountIds}
        value={templateId}
        missing={missing}
        onChange={(id) => {
          setMissing(false)
          setTemplateId(id)
        }}
      />
    ),
    delete: () => (
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
    ),
  }

  return (
    <>
      <BulkWizard
        heading={t('bulk.title')}
        selected={t('bulk.devices', { count: devices })}
        count={devices}
        tooMany={
          devices > devicesMax
            ? t('bulk.tooMany', { max: formatNumber(devicesMax, 0), count: devices })
            : null
        }
        question={t('bulk.mode.question')}
        modes={modes
          .filter((key) => key !== 'link' || reads)
          .map((key) => ({
            key,
            label: t(`bulk.mode.${key}`),
            text: t(`bulk.mode.${key}Text`),
            run: t(runTexts[key], { count: devices }),
          }))}
        mode={mode}
        onMode={setMode}
        notice={accounts.length > 1 ? <SeveralAccounts accounts={accounts} /> : null}
        fields={fields[mode]()}
        areFilled={() => {
          const nothing = mode === 'edit' ? isEmpty(values) : mode === 'link' && templateId === null
          setMissing(nothing)
          return !nothing && (mode !== 'edit' || overlaps(values).length === 0)
        }}
        summary={
          mode === 'edit' ? (
            <ChangesSummary values={values} />
          ) : mode === 'link' && templateId !== null ? (
            <Fact label={t('devices.field.template')}>
              <NameOf kind="template" id={templateId} />
            </Fact>
          ) : null
        }
        typeCount={t('bulk.typeCount')}
        countWrong={t('errors.BULK_COUNT')}
        dirty={values !== noChanges || templateId !== null}
        onStart={start}
        onClose={onClose}
      />
      {firstUse.dialog}
    </>
  )
}

/** Maximum accounts named in a sentence. */
const namedMax = 5

/** Said before anything is entered: what is not possible for devices of several accounts. */
function SeveralAccounts({ accounts }: { accounts: Found['accounts'] }) {
  const { t } = useTranslation()
  const names = accounts.slice(0, namedMax).map(({ name }) => name)
  return (
    <Alert color="yellow" title={t('bulk.accountsTitle', { count: accounts.length })}>
      {[...names, ...(accounts.length > namedMax ? ['…'] : [])].join(', ')}. {t('bulk.severalAccounts')}
    </Alert>
  )
}
