import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useFreshKey } from '../../lib/freshKeys.ts'
import { useCan } from '../../lib/session.ts'
import { CodeBlock } from '../../ui/display/CodeBlock.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { kinds } from './kinds/index.ts'
import type { Connector } from './queries.ts'
import { type Sample, samplePayload } from './sending.ts'

interface SendHintProps {
  device: { connectorId: number; driverId: number | null; externalId: string }
}

/** A command that sends one packet for this device, with a payload its driver can decode. */
export function SendHint({ device }: SendHintProps) {
  const { t } = useTranslation()
  const can = useCan()
  const sending = useSending(device)
  const key = useFreshKey(device.connectorId)
  if (!can('all', 'manage') || !sending) return null
  const { connector, sample } = sending
  const way = kinds[connector.kind].sending
  if (!way) return null
  const { command, tool, CommandNote } = way
  return (
    <Section title={t('devices.send.title')} description={t('devices.send.text')}>
      <CodeBlock
        code={command(connector, sample, key ?? t('connectors.connection.keyPlaceholder'))}
        label={tool}
      />
      <CommandNote connector={connector} isKeyKnown={key !== null} />
    </Section>
  )
}

/**
 * The connector and an example packet of the device's driver; undefined while loading or without permission.
 */
function useSending(device: SendHintProps['device']): { connector: Connector; sample: Sample } | undefined {
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
  const payload: Sample['payload'] = golden
    ? samplePayload(golden)
    : { text: '{"temperature":21.5}', encoding: 'json', fPort: null }
  return { connector: connector.data, sample: { identifier: device.externalId, payload } }
}
