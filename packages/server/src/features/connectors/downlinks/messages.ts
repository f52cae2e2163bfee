import { ttsName } from '../presets/tts.ts'

/** A downlink as a network server needs it. */
export interface OutgoingDownlink {
  /** UUID, the same at every attempt */
  readonly correlation: string
  /** how the device is known to us: its EUI, or its name at the network server */
  readonly externalId: string
  /** what its last uplink said about it */
  readonly lora: { readonly deviceId?: string | undefined; readonly applicationId?: string | undefined }
  readonly port: number
  readonly payload: Buffer
  readonly confirmed: boolean
  readonly gateways: readonly string[]
}

export interface MqttMessage {
  readonly topic: string
  readonly body: object
  readonly qos: 0 | 1
}

export interface HttpRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

/** A way to a network server. Where it is not known how the server names the device there is no message. */
export interface Way {
  /** how the server will name the downlink; null: it says so when it takes it */
  nameOf(correlation: string, over: 'mqtt' | 'http'): string | null
  /** whether it is known how the server names the device */
  knows(downlink: Pick<OutgoingDownlink, 'externalId' | 'lora'>, over: 'mqtt' | 'http'): boolean
  mqtt(downlink: OutgoingDownlink, username: string): MqttMessage | null
  http(downlink: OutgoingDownlink, base: string, key: string): HttpRequest | null
  /** the server's name of a downlink it has taken by HTTP */
  readName(answer: unknown): string | null
}

const isEui = (text: string): boolean => /^[0-9a-f]{16}$/i.test(text)

/** What may stand as one level of a topic, whoever has named it. */
const isLevel = (text: string | undefined): text is string =>
  text !== undefined && /^[^/+#$\0\s][^/+#\0\s]*$/.test(text)

/** The Things Stack knows a device by its device id; the EUI alone does not tell it. */
function ttsDevice({ externalId, lora }: Pick<OutgoingDownlink, 'externalId' | 'lora'>): string | undefined {
  const id = lora.deviceId ?? (isEui(externalId) ? undefined : externalId)
  return isLevel(id) ? id : undefined
}

/** Names its MQTT topics by the user name, `application@tenant`, and takes QoS 0 only. */
const tts: Way = {
  nameOf: (correlation) => ttsName + correlation,
  knows: (downlink) => ttsDevice(downlink) !== undefined,
  mqtt: (downlink, username) => {
    const device = ttsDevice(downlink)
    if (device === undefined || !isLevel(username)) return null
    return { topic: `v3/${username}/devices/${device}/down/push`, body: ttsBody(downlink), qos: 0 }
  },
  http: (downlink, base, key) => {
    const device = ttsDevice(downlink)
    if (device === undefined) return null
    return {
      url: `${base.replace(/\/+$/, '')}/devices/${encodeURIComponent(device)}/down/push`,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: ttsBody(downlink),
    }
  },
  readName: () => null,
}

function ttsBody({ port, payload, confirmed, gateways, correlation }: OutgoingDownlink): object {
  const chosen = gateways.map((gateway) => ({ gateway_ids: { gateway_id: gateway } }))
  return {
    downlinks: [
      {
        f_port: port,
        frm_payload: payload.toString('base64'),
        confirmed,
        priority: 'NORMAL',
        correlation_ids: [ttsName + correlation],
        ...(chosen.length === 0 ? {} : { class_b_c: { gateways: chosen } }),
      },
    ],
  }
}

/** Over MQTT it takes our id for the queue item, and refuses the same one twice. Over HTTP it makes one of its own. */
const chirpstack: Way = {
  nameOf: (correlation, over) => (over === 'mqtt' ? correlation : null),
  knows: ({ externalId, lora }, over) =>
    isEui(externalId) && (over === 'http' || isLevel(lora.applicationId)),
  mqtt: (downlink) => {
    const { externalId, lora, port, payload, confirmed, correlation } = downlink
    if (!chirpstack.knows(downlink, 'mqtt')) return null
    const devEui = externalId.toLowerCase()
    return {
      topic: `application/${lora.applicationId}/device/${devEui}/command/down`,
      body: { id: correlation, devEui, confirmed, fPort: port, data: payload.toString('base64') },
      qos: 1,
    }
  },
  http: ({ externalId, port, payload, confirmed }, base, key) => {
    if (!isEui(externalId)) return null
    return {
      url: `${base.replace(/\/+$/, '')}/api/devices/${externalId.toLowerCase()}/queue`,
      headers: { 'grpc-metadata-authorization': `Bearer ${key}`, 'content-type': 'application/json' },
      body: { queueItem: { confirmed, fPort: port, data: payload.toString('base64') } },
    }
  },
  readName: (answer) => {
    const id = typeof answer === 'object' && answer !== null && 'id' in answer ? answer.id : null
    return typeof id === 'string' && id !== '' && id.length <= 200 ? id : null
  },
}

export const ways = { 'tts-v3': tts, 'chirpstack-v4': chirpstack } as const
