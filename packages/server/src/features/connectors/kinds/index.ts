import type { ConnectorKind } from '@leitstand/contract/bridge'
import { withRemote } from '../remote/kind.ts'
import { mqttBroker } from './mqtt-broker/index.ts'
import { mqttIn } from './mqtt-in/index.ts'
import { type AnyKind, anyKind } from './types.ts'
import { webhookIn } from './webhook-in/index.ts'

export type { Active, AnyKind, Check, KindTools, Stop } from './types.ts'

/** Every kind of connector there is. */
export const kinds: Readonly<Record<ConnectorKind, AnyKind>> = {
  'webhook-in': anyKind(withRemote(webhookIn)),
  'mqtt-broker': anyKind(withRemote(mqttBroker)),
  'mqtt-in': anyKind(withRemote(mqttIn)),
}
