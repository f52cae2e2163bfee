import type { RemoteSystem } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import type { DownlinkWay } from '@leitstand/contract/downlinks'
import type { CommonValues, ConnectorForm, SettingsValues } from './kinds/types.ts'

/** How downlinks are handed to a network server. */
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

/** For kinds with `RemoteValues`: their key never comes back. */
export const remoteSecrets = ({ remote }: RemoteValues) => ({ remoteKey: remote !== 'none' })

/** Settings in the form of a kind that has these, as parts of forms know it: they are only shown by such kinds. */
export function settingsOf<S>(form: ConnectorForm): S {
  return form.getValues().settings as S
}

/** What is sent; an unused template stays behind. */
export function settingsFor(values: SettingsValues): Record<string, JsonValue> {
  const { messagesPerSecond: limit, preset, template } = values
  return {
    ...(values as Record<string, JsonValue>),
    messagesPerSecond: limit === '' ? null : limit,
    template: preset === 'template' ? template : '',
  }
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
