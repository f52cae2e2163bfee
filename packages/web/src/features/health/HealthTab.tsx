import type { DeviceHealth, HealthEntry } from '@leitstand/contract/health'
import { Alert, Button, Group, Menu, Stack, Text } from '@mantine/core'
import { useThrottledCallback } from '@mantine/hooks'
import {
  IconAlertTriangle,
  IconChevronDown,
  IconEdit,
  IconEye,
  IconEyeOff,
  IconHeartbeat,
  IconLink,
  IconRefresh,
} from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useLive } from '../../lib/live.ts'
import { reread } from '../../lib/reread.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ConfirmDialog } from '../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { type Device, invalidateDevices } from '../devices/index.ts'
import { EntryRule } from '../drivers/index.ts'
import { ConfigDialog } from './ConfigDialog.tsx'
import { HealthLog } from './HealthLog.tsx'
import classes from './health.module.css'

/** Minimum time between reloads of a device that sends every second. */
const refreshEveryMs = 2_000
/** Time-based changes may come without a message. */
const lookEveryMs = 30_000

/** A device's health: current problems, possible ones and history. */
export default function HealthTab({ device }: { device: Device }) {
  const cache = useQueryClient()
  const { id } = device
  const health = useQuery({
    ...api.health.get.queryOptions({ input: { id } }),
    refetchInterval: lookEveryMs,
  })
  const refresh = useThrottledCallback(() => {
    void reread(cache, api.health.get.key({ input: { id } }))
    void reread(cache, api.health.log.key())
  }, refreshEveryMs)
  useLive(`packets:${id}`, (message) => {
    if (message.kind === 'packet' || message.kind === 'resync') refresh()
  })
  if (health.isError && !health.data)
    return <ErrorState error={health.error} onRetry={() => void health.refetch()} />
  if (!health.data) return <Loading lines={4} />
  return (
    <Stack gap="md">
      <Entries device={device} health={health.data} />
      <HealthLog deviceId={id} config={health.data.config} />
    </Stack>
  )
}

function Entries({ device, health }: { device: Device; health: DeviceHealth }) {
  const { t } = useTranslation()
  const { config, faults, source } = health
  return (
    <Section
      title={t('deviceHealth.now')}
      description={<Source device={device} source={source} />}
      actions={health.editable ? <Actions device={device} health={health} /> : undefined}
      flush
    >
      {faults.map(({ kind, since }) => (
        <Alert key={kind} color="violet" variant="light" m="md" icon={<Icon of={IconAlertTriangle} />}>
          {t(`deviceHealth.faults.${kind}`, { since: formatTime(since) })}{' '}
          <RouterLink to={`/virtual-devices/${device.id}?tab=packets`} underline="always">
            {t('devices.tab.packets')}
          </RouterLink>
        </Alert>
      ))}
      {device.disabled ? (
        <Text size="sm" c="dimmed" p="md">
          {t('deviceHealth.disabled')}
        </Text>
      ) : health.evaluatedAt === null ? (
        <Text size="sm" c="dimmed" p="md">
          {t('deviceHealth.notYet')}
        </Text>
      ) : null}
      {config.entries.length === 0 ? (
        <EmptyState
          icon={IconHeartbeat}
          title={t('deviceHealth.none')}
          text={t('deviceHealth.noneDevice')}
          compact
        />
      ) : (
        <ul className={classes.entries}>
          {config.entries.map((entry) => (
            <Entry key={entry.identifier} device={device} health={health} entry={entry} />
          ))}
        </ul>
      )}
    </Section>
  )
}

function Source({ device, source }: { device: Device; source: DeviceHealth['source'] }) {
  const { t } = useTranslation()
  if (source === 'own') return t('deviceHealth.sourceOwn')
  if (source === 'template')
    return (
      <>
        {t('deviceHealth.sourceTemplate')}{' '}
        <RouterLink to={`/device-templates/${device.templateId}?tab=health`} underline="always">
          {device.templateTitle}
        </RouterLink>
      </>
    )
  if (device.driverId === null) return t('deviceHealth.sourceNone')
  return (
    <>
      {t('deviceHealth.sourceDriver')}{' '}
      <RouterLink to={`/virtual-device-drivers/${device.driverId}?tab=health`} underline="always">
        {device.driverTitle}
      </RouterLink>
    </>
  )
}

function Entry(props: { device: Device; health: DeviceHealth; entry: HealthEntry }) {
  const { t } = useTranslation()
  const { device, health, entry } = props
  const cache = useQueryClient()
  const [busy, setBusy] = useState(false)
  const state = health.entries.find(({ identifier }) => identifier === entry.identifier)
  const ignored = state?.ignored ?? null
  const set = async (flag: boolean) => {
    setBusy(true)
    try {
      await client.health.ignoreEntry({ id: device.id, identifier: entry.identifier, flag })
      await invalidateDevices(cache)
    } catch (error) {
      notifyError(error)
    } finally {
      setBusy(false)
    }
  }
  const tone = ignored
    ? 'unknown'
    : state?.active
      ? entry.type
      : health.evaluatedAt === null
        ? 'unknown'
        : 'ok'
  // An entry is a problem: "OK" beside it would leave open what is OK.
  const word = ignored
    ? t('deviceHealth.ignored')
    : t(tone === 'ok' ? 'deviceHealth.notTheCase' : `health.${tone}`)
  return (
    <li className={classes.entry}>
      <div className={classes.state}>
        <StatusBadge tone={tone} label={word} icon={ignored ? IconEyeOff : undefined} />
        {state?.since ? (
          <Text size="xs" c="dimmed">
            <RelativeTime time={state.since} />
          </Text>
        ) : null}
      </div>
      <div className={classes.what}>
        <Text size="sm" fw={500} className={classes.wrap ?? ''}>
          {entry.description || entry.identifier}
        </Text>
        <Group gap={8}>
          <Text size="xs" c="dimmed">
            {t(`deviceHealth.categories.${entry.category}`)} · {t(`deviceHealth.leadsTo.${entry.type}`)}
            {entry.description ? ` · ${entry.identifier}` : ''}
          </Text>
          <EntryRule entry={entry} />
        </Group>
        {ignored ? (
          <Text size="xs" c="dimmed">
            {t('deviceHealth.ignoredBy', { by: ignored.by, at: formatTime(ignored.at) })}
          </Text>
        ) : null}
      </div>
      {health.editable ? (
        <Button
          size="compact-sm"
          variant="default"
          loading={busy}
          leftSection={<Icon of={ignored ? IconEye : IconEyeOff} size={14} />}
          aria-label={t(ignored ? 'deviceHealth.activateNamed' : 'deviceHealth.ignoreNamed', {
            name: entry.identifier,
          })}
          onClick={() => void set(ignored === null)}
        >
          {t(ignored ? 'deviceHealth.activate' : 'deviceHealth.ignore')}
        </Button>
      ) : null}
    </li>
  )
}

function Actions({ device, health }: { device: Device; health: DeviceHealth }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [editing, setEditing] = useState(false)
  const [asked, setAsked] = useState(false)
  const [busy, setBusy] = useState(false)
  const run = async (work: () => Promise<unknown>, done: string) => {
    setBusy(true)
    try {
      await work()
      notifySuccess(done)
      setAsked(false)
    } catch (error) {
      notifyError(error)
    } finally {
      setBusy(false)
      await invalidateDevices(cache)
    }
  }
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button
            variant="default"
            size="compact-md"
            loading={busy}
            rightSection={<Icon of={IconChevronDown} size={16} />}
          >
            {t('deviceHealth.change')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {health.fixed ? (
            <Menu.Label maw={280} fw={400} style={{ whiteSpace: 'normal' }}>
              {t('templates.fixedBy', { title: device.templateTitle })}
            </Menu.Label>
          ) : (
            <Menu.Item leftSection={<Icon of={IconEdit} size={16} />} onClick={() => setEditing(true)}>
              {t(health.source === 'own' ? 'deviceHealth.editOwn' : 'deviceHealth.makeOwn')}
            </Menu.Item>
          )}
          {health.source === 'own' ? (
            <Menu.Item leftSection={<Icon of={IconLink} size={16} />} onClick={() => setAsked(true)}>
              {t('deviceHealth.followDriver')}
            </Menu.Item>
          ) : null}
          <Menu.Item
            leftSection={<Icon of={IconRefresh} size={16} />}
            onClick={() =>
              void run(() => client.health.sync({ id: device.id }), t('deviceHealth.recomputed'))
            }
          >
            {t('deviceHealth.recompute')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {editing ? <ConfigDialog device={device} health={health} onClose={() => setEditing(false)} /> : null}
      <ConfirmDialog
        opened={asked}
        title={t('deviceHealth.followDriver')}
        text={t('deviceHealth.followQuestion')}
        confirmLabel={t('deviceHealth.followConfirm')}
        danger
        busy={busy}
        onConfirm={() =>
          void run(
            () =>
              client.health.updateConfig({
                id: device.id,
                version: health.version,
                x: 'driver',
              }),
            t('deviceHealth.follows'),
          )
        }
        onCancel={() => setAsked(false)}
      />
    </>
  )
}
