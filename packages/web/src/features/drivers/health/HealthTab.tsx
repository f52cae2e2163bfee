import { Button, Checkbox, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ConfirmDialog } from '../../../ui/feedback/ConfirmDanger.tsx'
import { ErrorText } from '../../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { notifyError, notifySuccess } from '../../../ui/feedback/notify.ts'
import { Section } from '../../../ui/page/Section.tsx'
import classes from '../drivers.module.css'
import type { DriverValues } from '../values.ts'
import { HealthEditor } from './HealthEditor.tsx'

interface HealthTabProps {
  form: UseFormReturnType<DriverValues>
  driverId?: number
  readOnly: boolean
}

const prefix = 'health.'
/** Polling interval while a change is being applied. */
const askMs = 2_000

/** The health conditions of a driver's devices, and applying them. */
export function HealthTab({ form, driverId, readOnly }: HealthTabProps) {
  const { health, variables, calculated } = form.getValues()
  const own = Object.entries(form.errors).filter(([path]) => path.startsWith(prefix))
  const names = [...variables.map(({ key }) => key), ...calculated.map(({ key }) => key)]
  return (
    <div className={classes.stack}>
      <HealthEditor
        value={health}
        onChange={(changed) => form.setFieldValue('health', changed)}
        errors={Object.fromEntries(own.map(([path, error]) => [path.slice(prefix.length), error]))}
        variables={[...new Set(names.filter((name) => name !== ''))]}
        readOnly={readOnly}
        ofDriver
      />
      {driverId === undefined ? null : (
        <SyncSection driverId={driverId} unsaved={form.isDirty()} readOnly={readOnly} />
      )}
    </div>
  )
}

/** How many devices are up to date, and a button to update the others. */
function SyncSection(props: { driverId: number; unsaved: boolean; readOnly: boolean }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { driverId, unsaved } = props
  const [asked, setAsked] = useState(false)
  const [takeOver, setTakeOver] = useState(false)
  const [busy, setBusy] = useState(false)
  const options = api.devicedrivers.healthSync.queryOptions({ input: { id: driverId } })
  const sync = useQuery({
    ...options,
    refetchInterval: ({ state }) => (state.data?.running ? askMs : false),
  })
  const apply = async () => {
    setBusy(true)
    try {
      cache.setQueryData(options.queryKey, await client.devicedrivers.syncHealth({ id: driverId, takeOver }))
      notifySuccess(t('deviceHealth.syncStarted'))
      setAsked(false)
    } catch (error) {
      notifyError(error)
    } finally {
      setBusy(false)
    }
  }
  const button = (
    <Button
      variant="default"
      size="compact-md"
      leftSection={<Icon of={IconRefresh} size={16} />}
      disabled={unsaved || !sync.data || sync.data.devices === 0}
      loading={sync.data?.running ?? false}
      onClick={() => setAsked(true)}
    >
      {t('deviceHealth.sync')}
    </Button>
  )
  return (
    <Section
      title={t('deviceHealth.syncTitle')}
      description={t('deviceHealth.syncText')}
      actions={props.readOnly ? undefined : button}
    >
      {sync.isError ? (
        <ErrorText error={sync.error} />
      ) : sync.data ? (
        <Text size="sm">
          {t('deviceHealth.syncDevices', { count: sync.data.devices })}{' '}
          {sync.data.own > 0 ? t('deviceHealth.syncOwn', { count: sync.data.own }) : null}{' '}
          {sync.data.running ? t('deviceHealth.syncRunning') : null}
        </Text>
      ) : (
        <Loading lines={1} />
      )}
      {unsaved && !props.readOnly ? (
        <Text size="sm" c="dimmed">
          {t('deviceHealth.syncUnsaved')}
        </Text>
      ) : null}
      <ConfirmDialog
        opened={asked}
        title={t('deviceHealth.sync')}
        text={t('deviceHealth.syncQuestion', { count: sync.data?.devices ?? 0 })}
        confirmLabel={t('deviceHealth.syncConfirm')}
        busy={busy}
        onConfirm={() => void apply()}
        onCancel={() => setAsked(false)}
      >
        {sync.data && sync.data.own > 0 ? (
          <Checkbox
            label={t('deviceHealth.takeOver', { count: sync.data.own })}
            checked={takeOver}
            onChange={(event) => setTakeOver(event.currentTarget.checked)}
          />
        ) : null}
      </ConfirmDialog>
    </Section>
  )
}
