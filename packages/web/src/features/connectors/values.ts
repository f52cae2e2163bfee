import type { Preset, RemoteSystem } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import { Title } from '@leitstand/contract/common'
import { type ConnectorKind, connectorSettings } from '@leitstand/contract/connectors/kinds/index'
import type { DownlinkWay } from '@leitstand/contract/downlinks'
import i18next from 'i18next'
import * as z from 'zod'
import { check } from '../../lib/validation.ts'

/** Fields of all kinds side by side, so that a form can switch; `settingsFor` picks those of one kind. */
export interface SettingsValues {
  preset: Preset
  template: string
  username: string
  password: string
  publishTopics: string[]
  subscribeTopics: string[]
  host: string
  port: number | string
  /** empty: none */
  messagesPerSecond: number | string
  tls: boolean
  allowSelfSigned: boolean
  clientId: string
  topics: string[]
  /** how downlinks are handed over; address and key where it is done by HTTP */
  downlinks: DownlinkWay
  downlinkUrl: string
  downlinkKey: string
  /** access to the devices of the network server */
  remote: RemoteSystem
  remoteUrl: string
  remoteApplication: string
  remoteKey: string
}

export interface ConnectorValues extends Record<string, unknown> {
  accountId: string | null
  name: string
  description: string
  enabled: boolean
  settings: SettingsValues
}

/** What every kind has. */
const common = [
  ...(['remote', 'remoteUrl', 'remoteApplication', 'remoteKey'] as const),
  ...(['messagesPerSecond', 'preset', 'template'] as const),
]

const fields: Record<ConnectorKind, readonly (keyof SettingsValues)[]> = {
  'webhook-in': ['downlinks', 'downlinkUrl', 'downlinkKey', ...common],
  'mqtt-broker': ['username', 'password', 'publishTopics', 'subscribeTopics', ...common],
  'mqtt-in': [
    ...(['host', 'port', 'tls', 'allowSelfSigned', 'username', 'password'] as const),
    ...(['clientId', 'topics', 'downlinks'] as const),
    ...common,
  ],
}

/** Where a template of one's own starts. */
export const templateStart = `// payload: the message; JSON is already parsed, other text stays text
// meta:    topic (MQTT) or query (webhook)
// Return one packet, an array of packets, or nothing to drop the message.
module.exports = function (payload, meta) {
  return {
    identifier: payload.device,
    time: payload.time,
    data: payload.values,
  }
}
`

export function emptySettings(): SettingsValues {
  return {
    preset: 'standard',
    template: '',
    username: '',
    password: '',
    publishTopics: ['{username}/#'],
    subscribeTopics: [],
    host: '',
    port: 1883,
    messagesPerSecond: '',
    tls: false,
    allowSelfSigned: false,
    clientId: '',
    topics: [],
    downlinks: 'none',
    downlinkUrl: '',
    downlinkKey: '',
    remote: 'none',
    remoteUrl: '',
    remoteApplication: '',
    remoteKey: '',
  }
}

/** Stored settings as form values; a field of another type than expected falls back to its default. */
export function settingsFrom(stored: Record<string, unknown>): SettingsValues {
  const empty = emptySettings()
  const same = Object.entries(stored).filter(([key, value]) => {
    const known = empty[key as keyof SettingsValues]
    return (
      known !== undefined && Array.isArray(known) === Array.isArray(value) && typeof known === typeof value
    )
  })
  const { messagesPerSecond: limit } = stored
  return {
    ...empty,
    ...Object.fromEntries(same),
    password: '',
    downlinkKey: '',
    remoteKey: '',
    messagesPerSecond: typeof limit === 'number' ? limit : '',
  }
}

/** What is sent: only the fields of the kind; an unused template stays behind. */
export function settingsFor(kind: ConnectorKind, values: SettingsValues): Record<string, JsonValue> {
  const picked = Object.fromEntries(fields[kind].map((key) => [key, values[key]]))
  return {
    ...picked,
    messagesPerSecond: values.messagesPerSecond === '' ? null : values.messagesPerSecond,
    template: values.preset === 'template' ? values.template : '',
  }
}

/**
 * Checks the whole form with the contract's schema of the kind.
 * @param isNew a new broker sign-in needs a password; an empty one on a change keeps the stored one
 */
export function checkConnector(
  kind: ConnectorKind,
  isNew: boolean,
): (values: ConnectorValues) => Record<string, string> {
  const general = check(z.object({ name: Title, description: z.string().max(4000) }))
  const own = check(connectorSettings[kind])
  return (values) => {
    const errors = general(values)
    for (const [path, text] of Object.entries(own(settingsFor(kind, values.settings))))
      errors[`settings.${path}`] = text
    const missing = i18next.t('validation.required')
    if (isNew && values.accountId === null) errors.accountId = missing
    if (isNew && kind === 'mqtt-broker' && values.settings.password === '')
      errors['settings.password'] = missing
    if (
      isNew &&
      kind === 'webhook-in' &&
      values.settings.downlinks !== 'none' &&
      values.settings.downlinkKey === ''
    )
      errors['settings.downlinkKey'] = missing
    if (isNew && values.settings.remote !== 'none' && values.settings.remoteKey === '')
      errors['settings.remoteKey'] = missing
    if (values.settings.preset === 'template' && values.settings.template.trim() === '')
      errors['settings.template'] = missing
    return errors
  }
}
