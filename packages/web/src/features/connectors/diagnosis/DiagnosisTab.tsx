import { Stack, Text } from '@mantine/core'
import { IconAlertCircle, IconAlertTriangle, IconCircleCheck, IconHelpCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { useCan } from '../../../lib/session.ts'
import { useNow } from '../../../lib/time.ts'
import { Icon, type IconType } from '../../../ui/display/Icon.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import type { Device } from '../../devices/index.ts'
import { SendHint } from '../SendHint.tsx'
import classes from './diagnosis.module.css'
import { diagnose, type Step } from './diagnosis.ts'
import { heading, sentence } from './texts.ts'

const icons: Record<Step['level'], IconType> = {
  ok: IconCircleCheck,
  warning: IconAlertTriangle,
  error: IconAlertCircle,
  unknown: IconHelpCircle,
}
const refreshMs = 15_000
/** Number of messages from unknown devices searched for a mistyped identifier. */
const unknownSearched = 200

/** Why nothing arrives: each step of a packet's path, with its status. */
export default function DiagnosisTab({ device }: { device: Device }) {
  const { t } = useTranslation()
  const { signs, error, retry } = useSigns(device)
  if (error) return <ErrorState error={error} onRetry={retry} compact />
  if (!signs) return <Loading lines={6} />
  const steps = diagnose(signs)
  const isWrong = steps.some(({ level }) => level === 'error' || level === 'warning')
  const summary = isWrong ? 'textWrong' : device.lastSeen === null ? 'textWaiting' : 'textFine'
  return (
    <Stack gap="md">
      <Section title={t('devices.diagnosis.title')} description={t(`devices.diagnosis.${summary}`)}>
        <ol className={classes.steps}>
          {steps.map((step) => (
            <li key={step.step} className={classes.step} data-level={step.level}>
              <span className={classes.stepIcon}>
                <Icon of={icons[step.level]} size={20} />
              </span>
              <div>
                <Text fw={550}>{heading(step, t)}</Text>
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

/** Link to where the error can be fixed. */
function Remedy({ step, device }: { step: Step; device: Device }) {
  const { t } = useTranslation()
  const can = useCan()
  const connector = `/connectors/edit/${device.accountId}/${device.connectorId}`
  const own = `/virtual-devices/${device.id}`
  const targets: Partial<Record<Step['finding'], { to: string; key: string } | false>> = {
    connectorDisabled: can('all', 'manage') && { to: connector, key: 'openConnector' },
    connectorError: can('all', 'manage') && { to: `${connector}?tab=status`, key: 'openStatusLog' },
    connectorNotReady: can('all', 'manage') && { to: `${connector}?tab=status`, key: 'openStatusLog' },
    connectorRecovered: can('all', 'manage') && { to: `${connector}?tab=status`, key: 'openStatusLog' },
    limitReached: can('all', 'manage') && { to: connector, key: 'openConnector' },
    limitHeldBack: can('all', 'manage') && { to: connector, key: 'openConnector' },
    similarIdentifier: { to: `${own}?tab=data`, key: 'changeIdentifier' },
    refusedPackets: can('all', 'manage') && { to: `${connector}?tab=dead`, key: 'openDeadLetters' },
    identifierUnheard: can('all', 'manage') && { to: `${connector}?tab=logs`, key: 'openConnectorLog' },
    driverMissing: { to: `${own}?tab=data`, key: 'chooseDriver' },
    driverFails: { to: `${own}?tab=packets&errors=1`, key: 'showFailed' },
  }
  const target = targets[step.finding]
  return target ? <RouterLink to={target.to}>{t(`devices.diagnosis.remedy.${target.key}`)}</RouterLink> : null
}

/** Evidence for each step of a packet's path; only managers see identifiers of unknown devices. */
function useSigns(device: Device) {
  const can = useCan()
  const nowMs = useNow()
  const { id, connectorId } = device
  const reception = useQuery(api.bridge.reception.queryOptions({ input: { id }, refetchInterval: refreshMs }))
  const unknown = useQuery({
    ...api.letters.list.queryOptions({
      input: { id: connectorId, reason: 'DEVICE_UNKNOWN', limit: unknownSearched },
      refetchInterval: refreshMs,
    }),
    enabled: can('all', 'manage'),
  })
  return {
    signs: reception.data && {
      device,
      reception: reception.data,
      unknown:
        unknown.data?.items.flatMap(({ identifier, receivedAt }) =>
          identifier === null ? [] : [{ identifier, at: receivedAt }],
        ) ?? null,
      nowMs,
    },
    error: reception.data ? undefined : reception.error,
    retry: () => void reception.refetch(),
  }
}
