import type { StandardPacket } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import { lastLevel } from '../../../platform/mqtt/topics.ts'
import { parseTime } from '../../../platform/time.ts'
import { asRecord, asText, base64ToHex, identifierLengthMax, type JsonRecord } from './read.ts'
import {
  type ForeignMessage,
  type KeyedPacket,
  type RefusedPart,
  refusal,
  type Translation,
} from './types.ts'

/** Maximum packets in one message; a message with more is refused as a whole. */
export const packetsPerMessageMax = 10_000
const variableLengthMax = 200

/**
 * The standard packet, one or an array. Over MQTT the last level of the topic replaces a missing identifier,
 * and a body that is not a packet is treated as that device's data: `21.5`, `{"temperature": 21.5}` or
 * hexadecimal text.
 */
export function standard(message: ForeignMessage): Translation {
  const device = message.topic === undefined ? undefined : lastLevel(message.topic)
  if (message.json === undefined) {
    const bytes = message.text.trim()
    if (device !== undefined && isHex(bytes)) return packetsOf([{ identifier: device, data: bytes }], message)
    return refusal(message, 'The message is not JSON')
  }
  const parts = partsOf(message.json, device)
  return packetsOf(parts, message)
}

function partsOf(json: JsonValue, device: string | undefined): JsonValue[] {
  if (device === undefined) return Array.isArray(json) ? json : [json]
  const list = Array.isArray(json) ? json : [json]
  const looksLikePackets = list.length > 0 && list.every(isEnvelope)
  if (!looksLikePackets) return [{ identifier: device, data: json }]
  return list.map((part) => {
    const record = asRecord(part) ?? {}
    return 'identifier' in record || 'routing' in record ? record : { ...record, identifier: device }
  })
}

function isEnvelope(part: JsonValue): boolean {
  const record = asRecord(part)
  return record !== undefined && ['identifier', 'routing', 'data', 'payload'].some((key) => key in record)
}

/** Validates packets; an invalid one does not stop the others. */
export function packetsOf(parts: readonly JsonValue[], message: ForeignMessage): Translation {
  if (parts.length > packetsPerMessageMax) {
    return refusal(message, `A message may carry ${packetsPerMessageMax} packets`, 'PACKET_TOO_LARGE')
  }
  const packets: KeyedPacket[] = []
  const refused: RefusedPart[] = []
  for (const part of parts) {
    const result = toPacket(part)
    if (typeof result !== 'string') packets.push({ packet: result })
    else {
      // A single part is the message itself, even when a template produced it.
      const raw = parts.length === 1 ? message.text : JSON.stringify(part)
      refused.push({ raw, identifier: nameOf(part), code: 'PACKET_INVALID', message: result })
    }
  }
  return { packets, refused }
}

function nameOf(part: JsonValue): string | null {
  return asText(asRecord(part)?.identifier)?.slice(0, identifierLengthMax) ?? null
}

/** @returns the packet with its time as ISO text, or the reason why it is invalid */
function toPacket(part: JsonValue): StandardPacket | string {
  const record = asRecord(part)
  if (!record) return 'A packet must be an object'
  const meta = record.meta === undefined ? undefined : asRecord(record.meta)
  if (record.meta !== undefined && !meta) return '"meta" must be an object'
  if (record.routing !== undefined) return toRoutingPacket(record, meta)
  const identifier = asText(record.identifier)?.trim()
  if (!identifier) return 'A packet needs "identifier" or "routing"'
  if (identifier.length > identifierLengthMax) {
    return `"identifier" may have ${identifierLengthMax} characters`
  }
  const payload = record.payload ?? record.data
  if (payload === undefined || payload === null) return 'A packet needs "data" or "payload"'
  const bytes = record.encoding === 'base64' ? bytesOf(payload) : payload
  if (bytes === undefined) return 'The payload is not base64'
  const time = timeOf(record.time)
  if (time === null) return '"time" is no time'
  return { identifier, payload: bytes, ...(time ? { time } : {}), ...(meta ? { meta } : {}) }
}

function bytesOf(payload: JsonValue): string | undefined {
  // An uplink may have no bytes.
  const text = payload === '' ? '' : asText(payload)
  return text === undefined ? undefined : base64ToHex(text)
}

function toRoutingPacket(record: JsonRecord, meta: JsonRecord | undefined): StandardPacket | string {
  const routing = asRecord(record.routing)
  const pairs = Object.entries(routing ?? {})
  const [pair] = pairs
  if (!pair || pairs.length !== 1) return '"routing" must be an object with exactly one pair'
  const value = asText(pair[1])
  if (value === undefined) return 'The value of "routing" must be text or a number'
  if (pair[0].length > identifierLengthMax || value.length > identifierLengthMax) {
    return `Name and value of "routing" may have ${identifierLengthMax} characters`
  }
  const variable = asText(record.variable)
  if (!variable || variable.length > variableLengthMax) return '"variable" must be the key of a state'
  const data = asRecord(record.data ?? record.payload)
  if (!data || data.value === undefined) return '"data" must be {"value": …, "time": …}'
  const time = timeOf(data.time)
  if (time === null) return '"data.time" is no time'
  return {
    routing: { [pair[0]]: value },
    variable,
    data: { value: data.value, ...(time ? { time } : {}) },
    ...(meta ? { meta } : {}),
  }
}

/** Undefined: no time given; null: given, but invalid. */
function timeOf(value: JsonValue | undefined): string | undefined | null {
  if (value === undefined || value === null || value === '') return undefined
  return parseTime(value)?.toISOString() ?? null
}

function isHex(text: string): boolean {
  return text.length > 0 && text.length % 2 === 0 && /^[0-9a-f]+$/i.test(text)
}
