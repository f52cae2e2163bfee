import { type ConnectorKind, type ConnectorState, presets } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'

/** Settings as they are stored: checked, secrets sealed. Their shape depends on the kind. */
export type StoredSettings = Record<string, JsonValue>

/** Settings of all kinds that a connection does not depend on: they apply to the next message. */
export const appliedAtOnce: readonly string[] = [
  ...['preset', 'template', 'messagesPerSecond'],
  ...['remote', 'remoteUrl', 'remoteApplication', 'remoteKey'],
]

/** A connector as the running part sees it. */
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

/** How a connector reads its messages; every kind's settings have these. */
export function readingOf(connector: Pick<ConnectorRow, 'id' | 'accountId' | 'settings'>) {
  const { id, accountId, settings } = connector
  return {
    connectorId: id,
    accountId,
    preset: presets.find((preset) => preset === settings.preset) ?? 'standard',
    template: String(settings.template ?? ''),
  }
}

/** Messages a second a connector may take; null: it has no limit of its own. */
export function limitOf({ settings }: Pick<ConnectorRow, 'settings'>): number | null {
  return typeof settings.messagesPerSecond === 'number' ? settings.messagesPerSecond : null
}
