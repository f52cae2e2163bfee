import type { capabilities } from '@leitstand/contract/bridge'
import {
  type ConnectorKind,
  type ConnectorSettings,
  connectorKinds,
} from '@leitstand/contract/connectors/kinds/index'
import { appliedAtOnce } from '../types.ts'
import { mqttBroker } from './mqtt-broker/index.ts'
import { mqttIn } from './mqtt-in/index.ts'
import type { AnyKind, AnyRunning, Kind, KindTools } from './types.ts'
import { webhookIn } from './webhook-in/index.ts'
import { webhookOut } from './webhook-out/index.ts'

export type { AnyKind, Check, Command, Stop } from './types.ts'

/** Every kind of connector. */
const list: { readonly [K in ConnectorKind]: Kind<ConnectorSettings[K]> } = {
  'webhook-in': webhookIn,
  'mqtt-broker': mqttBroker,
  'mqtt-in': mqttIn,
  'webhook-out': webhookOut,
}

/** The same list without the settings types; those come from the matching schemas. */
export const kinds = list as unknown as Readonly<Record<ConnectorKind, AnyKind>>

/** The kinds running in this process. */
export class RunningKinds implements AsyncDisposable {
  readonly #byKind: Readonly<Record<ConnectorKind, AnyRunning>>

  constructor(tools: KindTools) {
    this.#byKind = Object.fromEntries(
      connectorKinds.map((kind) => [kind, kinds[kind].open(tools)]),
    ) as Record<ConnectorKind, AnyRunning>
  }

  of(kind: ConnectorKind): AnyRunning {
    return this.#byKind[kind]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Object.values(this.#byKind).map((running) => running[Symbol.asyncDispose]?.()))
  }
}

/** Whether a changed setting applies to the next message without reconnecting. */
export function isAppliedAtOnce(kind: ConnectorKind, setting: string): boolean {
  return appliedAtOnce.includes(setting) || (kinds[kind].appliedAtOnce?.includes(setting) ?? false)
}

type Capability = (typeof capabilities)[number]

/** The capabilities of a kind, derived from the parts it implements. */
export function capabilitiesOf(
  { manage }: AnyKind,
  { receive, command, deliver, publish }: AnyRunning,
): Capability[] {
  const found: Capability[] = []
  if (manage) found.push('device-management')
  if (receive) found.push('data-source')
  if (command || publish) found.push('commands')
  if (receive) found.push('ingestion')
  if (deliver) found.push('outgoing')
  return found
}
