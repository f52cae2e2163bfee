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

export type { AnyKind, Check, Command, Stop } from './types.ts'

/** Every kind of connector there is. */
const list: { readonly [K in ConnectorKind]: Kind<ConnectorSettings[K]> } = {
  'webhook-in': webhookIn,
  'mqtt-broker': mqttBroker,
  'mqtt-in': mqttIn,
}

/** The same without the types of their settings, which are those of the schema beside them. */
export const kinds = list as unknown as Readonly<Record<ConnectorKind, AnyKind>>

/** The kinds at work in this process. */
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

/** Whether a changed setting applies to the next message, without a new connection. */
export function isAppliedAtOnce(kind: ConnectorKind, setting: string): boolean {
  return appliedAtOnce.includes(setting) || (kinds[kind].appliedAtOnce?.includes(setting) ?? false)
}

type Capability = (typeof capabilities)[number]

/** What connectors of a kind can do: what it has. */
export function capabilitiesOf({ manage }: AnyKind, { receive, command }: AnyRunning): Capability[] {
  const found: Capability[] = []
  if (manage) found.push('device-management')
  if (receive) found.push('data-source')
  if (command) found.push('commands')
  if (receive) found.push('ingestion')
  return found
}
