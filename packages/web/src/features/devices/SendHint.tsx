import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useFreshKey } from '../../lib/fresh-keys.ts'
import { useCan } from '../../lib/session.ts'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { RouterLink } from '../../ui/RouterLink.tsx'
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
      {sending.kind === 'webhook-in' && sending.isKeyKnown ? null : (
        <Text size="sm" c="dimmed" mt="xs">
          {sending.kind === 'webhook-in' ? (
            <>
              {t('devices.send.key')}{' '}
              <RouterLink to={`/connectors/edit/${sending.accountId}/${device.connectorId}?tab=connection`}>
                {t('devices.send.keyLink')}
              </RouterLink>
            </>
          ) : (
            t('devices.send.password')
          )}
        </Text>
      )}
    </Section>
  )
}

/** Connector, address and a packet of the device's driver; undefined while it is not known or not allowed. */
function useSending(device: Device): (Sending & { isKeyKnown: boolean; accountId: number }) | undefined {
  const { t } = useTranslation()
  const can = useCan()
  const key = useFreshKey(device.connectorId)
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
    ...sendingOf(connector.data, key ?? t('connectors.connection.keyPlaceholder')),
    isKeyKnown: key !== null,
    accountId: connector.data.accountId,
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
