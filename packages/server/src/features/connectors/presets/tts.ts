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

/**
 * Messages of The Things Stack v3, webhook and MQTT alike. It omits fields that are empty, 0 or false: a
 * missing `f_port` is port 0, a missing `f_cnt` the first frame, a missing `snr` an SNR of 0.
 */
export function ttsV3(message: ForeignMessage): Translation {
  const body = asRecord(message.json)
  if (!body) return refusal(message, 'The message is not a JSON object')
  const ids = asRecord(body.end_device_ids)
  const deviceId = asText(ids?.device_id)
  const devEui = asText(ids?.dev_eui)?.toUpperCase()
  const identifier = devEui ?? deviceId
  if (!ids || !identifier) return refusal(message, 'The message has no end_device_ids')
  if (identifier.length > identifierLengthMax) return refusal(message, identifierTooLong)

  const uplink = asRecord(body.uplink_message)
  if (uplink) return uplinkOf(message, body, ids, uplink, identifier)
  for (const [key, failed] of events) {
    const detail = asRecord(body[key])
    if (!detail) continue
    const downlink = downlinkOf(key, body, detail)
    const event = { name: key, identifier, detail, failed, ...(downlink === undefined ? {} : { downlink }) }
    return { packets: [], refused: [], event }
  }
  return refusal(message, 'The message is none of the known ones of The Things Stack')
}

/**
 * Messages that are not uplinks, and whether they report a failure. `uplink_normalized` repeats an uplink.
 */
const events: readonly (readonly [string, boolean])[] = [
  ['join_accept', false],
  ['downlink_queued', false],
  ['downlink_sent', false],
  ['downlink_ack', false],
  ['downlink_nack', true],
  ['downlink_failed', true],
  ['downlink_queue_invalidated', true],
  ['uplink_normalized', false],
  ['location_solved', false],
  ['service_data', false],
]

/** Prefix of the correlation ids that we assign to downlinks. */
export const ttsName = 'leitstand:downlink:'

const reports: Readonly<Record<string, DownlinkReport['what']>> = {
  downlink_queued: 'queued',
  downlink_sent: 'transmitted',
  downlink_ack: 'acknowledged',
  downlink_nack: 'refused',
  downlink_failed: 'failed',
  downlink_queue_invalidated: 'failed',
}

/** The ids are on the message, on the downlink, and for failures one level deeper. */
function downlinkOf(key: string, body: JsonRecord, detail: JsonRecord): DownlinkReport | undefined {
  const what = reports[key]
  if (what === undefined) return undefined
  const about = [detail, asRecord(detail.downlink), ...asList(detail.downlinks).map(asRecord)]
  const ids = [body, ...about].flatMap((each) => asList(each?.correlation_ids)).map(asText)
  const names = [...new Set(ids.filter((id) => id?.startsWith(ttsName)))].filter((id) => id !== undefined)
  if (names.length === 0) return undefined
  const error = asRecord(detail.error)
  const said = asText(error?.message_format) ?? asText(error?.name) ?? ''
  return { names, what, detail: key === 'downlink_queue_invalidated' ? key : said }
}

function uplinkOf(
  message: ForeignMessage,
  body: JsonRecord,
  ids: JsonRecord,
  uplink: JsonRecord,
  identifier: string,
): Translation {
  const lora = loraOf(ids, uplink)
  const payload = asText(uplink.frm_payload)
  if (payload === undefined) {
    const event: NetworkEvent = { name: 'mac_only', identifier, detail: loraMeta(lora), failed: false }
    return { packets: [], refused: [], event }
  }
  const hex = base64ToHex(payload)
  if (hex === undefined) return refusal(message, 'frm_payload is not base64')
  const time = parseTime(uplink.received_at) ?? parseTime(body.received_at)
  const decoded = asRecord(uplink.decoded_payload)
  const meta: JsonRecord = {
    lora: loraMeta(lora),
    ...(decoded ? { decoded } : {}),
    ...(body.simulated === true || uplink.simulated === true ? { simulated: true } : {}),
  }
  const dedupKey = uplinkKey(lora, hex)
  const packet = { identifier, payload: hex, meta, ...(time ? { time: time.toISOString() } : {}) }
  return { packets: [{ packet, ...(dedupKey === undefined ? {} : { dedupKey }) }], refused: [] }
}

function loraOf(ids: JsonRecord, uplink: JsonRecord): LoraUplink {
  const settings = asRecord(uplink.settings)
  const rate = asRecord(asRecord(settings?.data_rate)?.lora)
  return {
    devEui: asText(ids.dev_eui)?.toUpperCase(),
    devAddr: asText(ids.dev_addr)?.toUpperCase(),
    joinEui: asText(ids.join_eui)?.toUpperCase(),
    deviceId: asText(ids.device_id),
    applicationId: asText(asRecord(ids.application_ids)?.application_id),
    sessionKeyId: asText(uplink.session_key_id),
    fport: asNumber(uplink.f_port) ?? 0,
    fcnt: asNumber(uplink.f_cnt) ?? 0,
    confirmed: uplink.confirmed === true,
    dr: asNumber(settings?.data_rate_index) ?? 0,
    sf: asNumber(rate?.spreading_factor),
    bw: asNumber(rate?.bandwidth),
    freq: asNumber(settings?.frequency),
    gateways: asList(uplink.rx_metadata).map(gatewayOf),
  }
}

/** Roaming gateways are all called "packetbroker"; their real id is nested deeper. */
function gatewayOf(value: JsonValue): Gateway {
  const heard = asRecord(value) ?? {}
  const ids = asRecord(heard.gateway_ids) ?? {}
  const roaming = asRecord(heard.packet_broker)
  const id = roaming
    ? `packetbroker/${asText(roaming.forwarder_gateway_eui) ?? asText(roaming.forwarder_gateway_id) ?? asText(roaming.forwarder_net_id) ?? 'unknown'}`
    : (asText(ids.gateway_id) ?? asText(ids.eui) ?? 'unknown')
  return {
    id,
    eui: roaming ? asText(roaming.forwarder_gateway_eui) : asText(ids.eui),
    rssi: asNumber(heard.rssi) ?? asNumber(heard.channel_rssi) ?? 0,
    snr: asNumber(heard.snr) ?? 0,
  }
}
