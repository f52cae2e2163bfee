import type { RemoteSystem } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import type { DownlinkWay } from '@leitstand/contract/downlinks'
import type { CommonValues, ConnectorForm, SettingsValues } from './kinds/types.ts'

/** How downlinks are sent to a network server. */
export type DownlinkValues = { downlinks: DownlinkWay }

/** Access to the devices of a network server. */
export type RemoteValues = {
  remote: RemoteSystem
  remoteUrl: string
  remoteApplication: string
  remoteKey: string
}

export const emptyCommon = (): CommonValues => ({ preset: 'standard', template: '', messagesPerSecond: '' })

export const emptyRemote = (): RemoteValues => ({
  remote: 'none',
  remoteUrl: '',
  remoteApplication: '',
  remoteKey: '',
})

/** For kinds with `RemoteValues`: the server never returns their key. */
export const remoteSecrets = ({ remote }: RemoteValues) => ({ remoteKey: remote !== 'none' })

/** Settings of a kind that has type `S`; only forms of such kinds show the parts that call this. */
export function settingsOf<S>(form: ConnectorForm): S {
  return form.getValues().settings as S
}

/** The settings to send, without an unused template. */
export function settingsFor(values: SettingsValues): Record<string, JsonValue> {
  const { messagesPerSecond: limit, preset, template } = values
  return {
    ...(values as Record<string, JsonValue>),
    messagesPerSecond: limit === '' ? null : limit,
    template: preset === 'template' ? template : '',
  }
}

/** Initial text of a custom template. */
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
