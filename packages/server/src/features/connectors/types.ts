import { type ConnectorKind, type ConnectorState, presets } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'

/** Settings as stored: validated, secrets encrypted. Their shape depends on the kind. */
export type StoredSettings = Record<string, JsonValue>

/** Settings common to all kinds that do not affect the connection: they apply to the next message. */
export const appliedAtOnce: readonly string[] = [
  ...['preset', 'template', 'messagesPerSecond'],
  ...['remote', 'remoteUrl', 'remoteApplication', 'remoteKey'],
]

/** A connector as the supervisor uses it. */
export interface ConnectorRow {
  readonly id: number
  readonly accountId: number
  readonly name: string
  readonly kind: ConnectorKind
  readonly enabled: boolean
  readonly settings: StoredSettings
  readonly state: ConnectorState
  readonly stateMessage: string
  readonly version: number
}

/** How a connector parses its messages; the settings of every kind have these fields. */
export function readingOf<Id extends number | null>({
  id,
  accountId,
  settings,
}: Pick<ConnectorRow, 'accountId' | 'settings'> & { id: Id }) {
  return {
    connectorId: id,
    accountId,
    preset: presets.find((preset) => preset === settings.preset) ?? 'standard',
    template: String(settings.template ?? ''),
  }
}

/** Rate limit of a connector in messages a second; null: no limit of its own. */
export function limitOf({ settings }: Pick<ConnectorRow, 'settings'>): number | null {
  return typeof settings.messagesPerSecond === 'number' ? settings.messagesPerSecond : null
}
