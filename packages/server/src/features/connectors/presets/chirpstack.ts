import type { JsonValue } from '@leitstand/contract/common'
import { parseTime } from '../../../platform/time.ts'
import { type Gateway, type LoraUplink, loraMeta, uplinkKey } from './lora.ts'
import {
  asList,
  asNumber,
  asRecord,
  asText,
  base64ToHex,
  identifierLengthMax,
  identifierTooLong,
  type JsonRecord,
} from './read.ts'
import {
  type DownlinkReport,
  type ForeignMessage,
  type NetworkEvent,
  refusal,
  type Translation,
} from './types.ts'

const eventNames = ['up', 'join', 'status', 'ack', 'txack', 'log', 'location', 'integration'] as const
type EventName = (typeof eventNames)[number]

/**
 * Messages of ChirpStack v4 in JSON encoding. Over HTTP the event type is only in `?event=`, over MQTT in the
 * topic (`…/event/up`); without either, it is derived from the fields. proto3 omits 0 and false: a missing
 * `fCnt` is the first frame, a missing `acknowledged` a negative acknowledgement.
 *
 * A `status` carries battery and margin as the network knows them, not a payload that a driver could decode.
 * Like joins and acknowledgements it appears in the connector's log and is not a packet.
 */
export function chirpstackV4(message: ForeignMessage): Translation {
  const body = asRecord(message.json)
  if (!body)
    return refusal(message, 'The message is not a JSON object; ChirpStack must send JSON, not Protobuf')
  const info = asRecord(body.deviceInfo)
  const devEui = asText(info?.devEui)?.toUpperCase()
  if (devEui !== undefined && devEui.length > identifierLengthMax) return refusal(message, identifierTooLong)
  const event = eventOf(message, body)
  if (event === undefined) return refusal(message, 'The message names no event: ?event= or a topic …/event/…')
  if (event === 'up') {
    if (!info || !devEui) return refusal(message, 'The uplink has no deviceInfo.devEui')
    return uplinkOf(message, body, info, devEui)
  }
  return { packets: [], refused: [], event: networkEvent(event, body, devEui ?? null) }
}

function eventOf(message: ForeignMessage, body: JsonRecord): EventName | undefined {
  const named = message.query.event ?? /(?:^|\/)event\/([a-z]+)$/.exec(message.topic ?? '')?.[1]
  if (named !== undefined) return eventNames.find((name) => name === named)
  if ('rxInfo' in body || 'fPort' in body) return 'up'
  if ('margin' in body || 'batteryLevel' in body) return 'status'
  if ('queueItemId' in body) return 'gatewayId' in body ? 'txack' : 'ack'
  if ('level' in body && 'code' in body) return 'log'
  if ('integrationName' in body) return 'integration'
  if ('location' in body) return 'location'
  return 'devAddr' in body ? 'join' : undefined
}

function networkEvent(name: EventName, body: JsonRecord, identifier: string | null): NetworkEvent {
  const { deviceInfo: _device, deduplicationId: _id, ...detail } = body
  if (name === 'ack') detail.acknowledged = body.acknowledged === true
  const failed =
    (name === 'ack' && body.acknowledged !== true) || (name === 'log' && asText(body.level) === 'ERROR')
  const downlink = downlinkOf(name, body)
  return { name, identifier, detail, failed, ...(downlink === undefined ? {} : { downlink }) }
}

/**
 * ChirpStack identifies a downlink by its queue item id; a log event that ends one has the id in its context.
 */
function downlinkOf(name: EventName, body: JsonRecord): DownlinkReport | undefined {
  if (name === 'log') {
    const item = asText(asRecord(body.context)?.queue_item_id)
    if (item === undefined || asText(body.level) !== 'ERROR') return undefined
    const detail = [asText(body.code), asText(body.description)].filter(Boolean).join(': ')
    return { names: [item], what: 'failed', detail }
  }
  const item = asText(body.queueItemId)
  if (item === undefined) return undefined
  if (name === 'txack') return { names: [item], what: 'transmitted', detail: '' }
  if (name !== 'ack') return undefined
  return { names: [item], what: body.acknowledged === true ? 'acknowledged' : 'refused', detail: '' }
}

function uplinkOf(message: ForeignMessage, body: JsonRecord, info: JsonRecord, devEui: string): Translation {
  const lora = loraOf(body, info, devEui)
  const payload = asText(body.data)
  if (payload === undefined) {
    const event: NetworkEvent = {
      name: 'mac_only',
      identifier: devEui,
      detail: loraMeta(lora),
      failed: false,
    }
    return { packets: [], refused: [], event }
  }
  const hex = base64ToHex(payload)
  if (hex === undefined) return refusal(message, 'data is not base64')
  const time = parseTime(body.time)
  const decoded = asRecord(body.object)
  const meta: JsonRecord = { lora: loraMeta(lora), ...(decoded ? { decoded } : {}) }
  const dedupKey = uplinkKey(lora, hex)
  const packet = { identifier: devEui, payload: hex, meta, ...(time ? { time: time.toISOString() } : {}) }
  return { packets: [{ packet, ...(dedupKey === undefined ? {} : { dedupKey }) }], refused: [] }
}

function loraOf(body: JsonRecord, info: JsonRecord, devEui: string): LoraUplink {
  const sent = asRecord(body.txInfo)
  const rate = asRecord(asRecord(sent?.modulation)?.lora)
  return {
    devEui,
    devAddr: asText(body.devAddr)?.toUpperCase(),
    deviceId: asText(info.deviceName),
    applicationId: asText(info.applicationId),
    fport: asNumber(body.fPort) ?? 0,
    fcnt: asNumber(body.fCnt) ?? 0,
    confirmed: body.confirmed === true,
    dr: asNumber(body.dr) ?? 0,
    sf: asNumber(rate?.spreadingFactor),
    bw: asNumber(rate?.bandwidth),
    freq: asNumber(sent?.frequency),
    gateways: asList(body.rxInfo).map(gatewayOf),
  }
}

function gatewayOf(value: JsonValue): Gateway {
  const heard = asRecord(value) ?? {}
  const eui = asText(heard.gatewayId)
  return { id: eui ?? 'unknown', eui, rssi: asNumber(heard.rssi) ?? 0, snr: asNumber(heard.snr) ?? 0 }
}
