import { type ConnectorKind, connectorKinds } from '@leitstand/contract/connectors/kinds/index'
import { mqttBroker } from './mqtt-broker/index.tsx'
import { mqttIn } from './mqtt-in/index.tsx'
import type { AnyConsoleKind } from './types.ts'
import { webhookIn } from './webhook-in/index.tsx'
import { webhookOut } from './webhook-out/index.tsx'

/** All kinds of connectors. */
export const kinds: Readonly<Record<ConnectorKind, AnyConsoleKind>> = {
  'webhook-in': webhookIn,
  'mqtt-broker': mqttBroker,
  'mqtt-in': mqttIn,
  'webhook-out': webhookOut,
}

export { connectorKinds as kindNames }
