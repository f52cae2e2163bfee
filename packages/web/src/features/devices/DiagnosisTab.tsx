import { Stack, Text } from '@mantine/core'
import { IconAlertCircle, IconAlertTriangle, IconCircleCheck, IconHelpCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useCan } from '../../lib/session.ts'
import { useNow } from '../../lib/time.ts'
import { Icon, type IconType } from '../../ui/Icon.tsx'
import { RouterLink } from '../../ui/RouterLink.tsx'
import { Section } from '../../ui/Section.tsx'
import classes from './devices.module.css'
import { diagnose, type Step } from './diagnosis.ts'
import type { Device } from './queries.ts'
import { SendHint } from './SendHint.tsx'

const icons: Record<Step['level'], IconType> = {
  ok: IconCircleCheck,
  warning: IconAlertTriangle,
  error: IconAlertCircle,
  unknown: IconHelpCircle,
}
const refreshMs = 15_000
/** Messages for unknown devices that are searched for a mistyped identifier. */
const unknownSearched = 200

/** Why did nothing arrive? The way of a packet, step by step, with what is known about each. */
export function DiagnosisTab({ device }: { device: Device }) {
  const { t } = useTranslation()
  const signs = useSigns(device)
  const steps = diagnose(signs)
  const worst = steps.find(({ level }) => level === 'error') ?? steps.find(({ level }) => level === 'warning')
  return (
    <Stack gap="md">
      <Section
        title={t('devices.diagnosis.title')}
        description={t(worst ? 'devices.diagnosis.textWrong' : 'devices.diagnosis.textFine')}
      >
        <ol className={classes.steps}>
          {steps.map((step) => (
            <li key={step.step} className={classes.step} data-level={step.level}>
              <span className={classes.stepIcon}>
                <Icon of={icons[step.level]} size={20} />
              </span>
              <div>
                <Text fw={550}>{t(`devices.diagnosis.step.${step.step}`)}</Text>
                <Text size="sm">{sentence(step, t)}</Text>
                <Text size="sm" c="dimmed">
                  {t(`devices.diagnosis.hint.${step.finding}`, { defaultValue: '' })}{' '}
                  <Remedy step={step} device={device} />
                </Text>
              </div>
            </li>
          ))}
        </ol>
      </Section>
      <SendHint device={device} />
    </Stack>
  )
}

function sentence({ finding, details }: Step, t: ReturnType<typeof useTranslation>['t']): string {
  const { code, message, at, ...rest } = details
  const cause =
    code === undefined ? (message ?? '') : t(`errors.${code}`, { defaultValue: String(message ?? code) })
  return t(`devices.diagnosis.finding.${finding}`, {
    ...rest,
    ...(at === undefined ? {} : { time: formatTime(at) }),
    cause,
  })
}

/** Where the fault is put right. */
function Remedy({ step, device }: { step: Step; device: Device }) {
  const { t } = useTranslation()
  const can = useCan()
  const connector = `/connectors/edit/${device.accountId}/${device.connectorId}`
  const own = `/virtual-devices/${device.id}`
  const targets: Partial<Record<Step['finding'], { to: string; key: string } | false>> = {
    connectorDisabled: can('all', 'manage') && { to: connector, key: 'openConnector' },
    connectorError: can('all', 'manage') && { to: `${connector}?tab=status`, key: 'openStatusLog' },
    connectorNotReady: can('all', 'manage') && { to: `${connector}?tab=status`, key: 'openStatusLog' },
    limitReached: can('all', 'manage') && { to: connector, key: 'openConnector' },
    similarIdentifier: { to: `${own}?tab=data`, key: 'changeIdentifier' },
    refusedPackets: can('all', 'manage') && { to: `${connector}?tab=dead`, key: 'openDeadLetters' },
    identifierUnheard: can('all', 'manage') && { to: `${connector}?tab=logs`, key: 'openConnectorLog' },
    driverMissing: { to: `${own}?tab=data`, key: 'chooseDriver' },
    driverFails: { to: `${own}?tab=packets&errors=1`, key: 'showFailed' },
  }
  const target = targets[step.finding]
  return target ? <RouterLink to={target.to}>{t(`devices.diagnosis.remedy.${target.key}`)}</RouterLink> : null
}

/** What can be known about the way of a packet; parts the viewer may not see stay null. */
function useSigns(device: Device) {
  const can = useCan()
  const manager = can('all', 'manage')
  const nowMs = useNow()
  const { connectorId } = device
  const connector = useQuery({
    ...api.bridge.get.queryOptions({ input: { id: connectorId }, refetchInterval: refreshMs }),
    enabled: manager,
  })
  const unknown = useQuery({
    ...api.bridge.deadLetters.queryOptions({
      input: { id: connectorId, reason: 'DEVICE_UNKNOWN', limit: unknownSearched },
      refetchInterval: refreshMs,
    }),
    enabled: manager,
  })
  const refused = useQuery({
    ...api.bridge.deadLetters.queryOptions({
      input: { id: connectorId, identifier: device.externalId, limit: 20 },
      refetchInterval: refreshMs,
    }),
    enabled: manager,
  })
  return {
    device,
    connector: connector.data ?? null,
    unknown:
      unknown.data?.items.flatMap(({ identifier, receivedAt }) =>
        identifier === null ? [] : [{ identifier, at: receivedAt }],
      ) ?? null,
    refused:
      refused.data?.items
        .filter(({ reason }) => reason !== 'DEVICE_UNKNOWN' && reason !== 'DEVICE_DISABLED')
        .map(({ reason, receivedAt }) => ({ reason, at: receivedAt })) ?? null,
    refusals: unknown.data?.refusals ?? null,
    nowMs,
  }
}
