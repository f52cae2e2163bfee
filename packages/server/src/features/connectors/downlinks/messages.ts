import { ttsName } from '../presets/tts.ts'
import type { OutgoingDownlink, Way } from './types.ts'

const isEui = (text: string): boolean => /^[0-9a-f]{16}$/i.test(text)

/** Whether a text is valid as one level of a topic, whatever its origin. */
const isLevel = (text: string | undefined): text is string =>
  text !== undefined && /^[^/+#$\0\s][^/+#\0\s]*$/.test(text)

/** The Things Stack needs the device id; the EUI is not enough. */
function ttsDevice({ externalId, lora }: Pick<OutgoingDownlink, 'externalId' | 'lora'>): string | undefined {
  const id = lora.deviceId ?? (isEui(externalId) ? undefined : externalId)
  return isLevel(id) ? id : undefined
}

/** Its MQTT topics contain the user name, `application@tenant`; it supports QoS 0 only. */
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

/** Over MQTT it accepts our id for the queue item and refuses duplicates. Over HTTP it generates its own. */
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
