import * as z from 'zod'
import { MqttBrokerSettings } from './mqtt-broker.ts'
import { MqttInSettings } from './mqtt-in.ts'
import { connectorKinds, receivingKinds } from './names.ts'
import { WebhookInSettings } from './webhook-in.ts'
import { WebhookOutSettings } from './webhook-out.ts'

/** Every kind of connector, with the schema of its settings. */
export const connectorSettings = {
  'webhook-in': WebhookInSettings,
  'mqtt-broker': MqttBrokerSettings,
  'mqtt-in': MqttInSettings,
  'webhook-out': WebhookOutSettings,
} satisfies Record<ConnectorKind, z.ZodType>

export const ConnectorKind = z.enum(connectorKinds)
export type ConnectorKind = z.infer<typeof ConnectorKind>
export { connectorKinds, receivingKinds }

/** Checked settings by kind. */
export type ConnectorSettings = {
  readonly [K in ConnectorKind]: z.infer<(typeof connectorSettings)[K]>
}
