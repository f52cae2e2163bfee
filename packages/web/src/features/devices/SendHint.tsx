import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useCan } from '../../lib/session.ts'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Section } from '../../ui/Section.tsx'
import type { Device } from './queries.ts'
import { type Sending, sendCommand, sendingOf } from './sending.ts'

/** A command that sends one packet for this device, with bytes its driver understands. */
export function SendHint({ device }: { device: Device }) {
  const { t } = useTranslation()
  const can = useCan()
  const sending = useSending(device)
  if (!can('all', 'manage') || !sending) return null
  return (
    <Section title={t('devices.send.title')} description={t('devices.send.text')}>
      <CodeBlock
        code={sendCommand(sending)}
        label={sending.kind === 'webhook-in' ? 'curl' : 'mosquitto_pub'}
      />
      {sending.kind === 'webhook-in' ? null : (
        <Text size="sm" c="dimmed" mt="xs">
          {t('devices.send.password')}
        </Text>
      )}
    </Section>
  )
}

/** Connector, address and a packet of the device's driver; undefined while it is not known or not allowed. */
function useSending(device: Device): Sending | undefined {
  const can = useCan()
  const connector = useQuery({
    ...api.bridge.get.queryOptions({ input: { id: device.connectorId } }),
    enabled: can('all', 'manage'),
  })
  const driver = useQuery({
    ...api.devicedrivers.get.queryOptions({ input: { id: device.driverId ?? 0 } }),
    enabled: device.driverId !== null,
  })
  if (!connector.data || (device.driverId !== null && driver.isPending)) return undefined
  const [golden] = driver.data?.golden ?? []
  return {
    ...sendingOf(connector.data),
    identifier: device.externalId,
    payload: golden
      ? { text: hexOf(golden), encoding: golden.encoding === 'json' ? 'json' : 'hex', fPort: golden.fPort }
      : { text: '{"temperature":21.5}', encoding: 'json', fPort: null },
  }
}

function hexOf({ payload, encoding }: { payload: string; encoding: string }): string {
  if (encoding !== 'base64') return payload.replace(/\s/g, '')
  return Array.from(atob(payload), (char) => char.charCodeAt(0).toString(16).padStart(2, '0')).join('')
}
