import { hash } from 'node:crypto'
import type { StandardPacket } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import type { ErrorCode } from '@leitstand/contract/errors'
import { normaliseExternalId } from '@leitstand/contract/identifiers'
import { parseTime } from '../../platform/time.ts'
import { ingestLimits } from './types.ts'

/** A packet for a virtual device or for states of twins that listen to a connector. */
export interface DevicePacket {
  kind: 'device'
  identifier: string
  /** the form in which identifiers are compared */
  key: string
  time: Date
  /** whether `time` is from the source; otherwise it is the time of reception */
  timed: boolean
  /** measurements before this time are no longer stored */
  oldest: Date
  /** hexadecimal text of a binary payload, or JSON text */
  payload: string
  encoding: 'hex' | 'json'
  data: JsonValue
  /** JSON text of the metadata, as stored and passed to the driver */
  meta: string
  fPort: number | null
  fCnt: number | null
}

/** A value for the twins with a reference id. */
export interface RoutedPacket {
  kind: 'routed'
  routes: { name: string; value: string }[]
  variable: string
  value: JsonValue
  time: Date
}

export type ReadPacket = DevicePacket | RoutedPacket
export type Refused = { kind: 'refused'; identifier: string | null; code: ErrorCode; message: string }

/** Reads a standard packet: times, payload, LoRaWAN metadata. Pure; refuses instead of throwing. */
export function readPacket(packet: StandardPacket, receivedAt: Date, oldest: Date): ReadPacket | Refused {
  return 'routing' in packet ? readRouted(packet, receivedAt, oldest) : readDevice(packet, receivedAt, oldest)
}

function readRouted(
  packet: Extract<StandardPacket, { routing: unknown }>,
  receivedAt: Date,
  oldest: Date,
): RoutedPacket | Refused {
  const routes = Object.entries(packet.routing).map(([name, value]) => ({ name, value: String(value) }))
  const identifier = routes.map(({ name, value }) => `${name}=${value}`).join(' ')
  if (routes.length !== 1) {
    return {
      kind: 'refused',
      identifier,
      code: 'PACKET_INVALID',
      message: 'routing names exactly one reference id',
    }
  }
  const time = readTime(packet.data.time, receivedAt, oldest)
  if ('code' in time) return { kind: 'refused', identifier, ...time }
  return { kind: 'routed', routes, variable: packet.variable, value: packet.data.value, time: time.time }
}

function readDevice(
  packet: Exclude<StandardPacket, { routing: unknown }>,
  receivedAt: Date,
  oldest: Date,
): DevicePacket | Refused {
  const { identifier } = packet
  const time = readTime(packet.time, receivedAt, oldest)
  if ('code' in time) return { kind: 'refused', identifier, ...time }
  const data = packet.payload ?? packet.data
  if (data === undefined) {
    return {
      kind: 'refused',
      identifier,
      code: 'PACKET_INVALID',
      message: 'the packet has neither data nor payload',
    }
  }
  const hex = typeof data === 'string' ? hexOf(data) : null
  const lora = packet.meta?.lora
  return {
    kind: 'device',
    identifier,
    key: normaliseExternalId(identifier),
    time: time.time,
    timed: packet.time !== undefined,
    oldest,
    payload: hex ?? JSON.stringify(data),
    encoding: hex === null ? 'json' : 'hex',
    data,
    meta: packet.meta === undefined ? '{}' : JSON.stringify(packet.meta),
    fPort: wholeNumber(lora, 'fport', 255),
    fCnt: wholeNumber(lora, 'fcnt', Number.MAX_SAFE_INTEGER),
  }
}

function readTime(
  given: string | number | undefined,
  receivedAt: Date,
  oldest: Date,
): { time: Date } | { code: ErrorCode; message: string } {
  if (given === undefined) return { time: receivedAt }
  const time = parseTime(given)
  if (time === null)
    return { code: 'PACKET_INVALID', message: `the time is not understood: ${String(given).slice(0, 50)}` }
  if (time.getTime() > receivedAt.getTime() + ingestLimits.aheadMaxMs) {
    return { code: 'PACKET_TOO_FAR_AHEAD', message: `${time.toISOString()} is more than 24 hours ahead` }
  }
  if (time < oldest)
    return { code: 'PACKET_TOO_OLD', message: `${time.toISOString()} is older than the retention` }
  return { time }
}

/** Hexadecimal text (pairs of digits, separators allowed) in lower case, or null. */
export function hexOf(text: string): string | null {
  // Fast path for the usual form.
  if (text.length > 0 && text.length % 2 === 0 && /^[0-9a-f]+$/.test(text)) return text
  const compact = text.replace(/[\s:-]/g, '')
  return compact.length > 0 && compact.length % 2 === 0 && /^[0-9a-f]+$/i.test(compact)
    ? compact.toLowerCase()
    : null
}

function wholeNumber(object: JsonValue | undefined, key: string, max: number): number | null {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return null
  const value = object[key]
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max ? value : null
}

/**
 * Key by which a duplicate of a packet is recognised: a signed 64-bit number, or null if the packet cannot be
 * distinguished from an equal reading (neither the source's own key nor a time nor a counter).
 */
export function dedupKey(packet: DevicePacket, given: string | undefined): bigint | null {
  const identity =
    given !== undefined
      ? `key ${given}`
      : packet.timed || packet.fCnt !== null
        ? `packet ${packet.timed ? packet.time.getTime() : ''} ${packet.fCnt ?? ''} ${packet.fPort ?? ''} ${packet.payload}`
        : null
  if (identity === null) return null
  // Half the cost of a buffer.
  return BigInt.asIntN(64, BigInt(`0x${hash('sha1', identity).slice(0, 16)}`))
}

/** The value at a path of keys joined by dots; all data without a path; undefined if missing. */
export function valueAt(data: JsonValue, path: string | null): JsonValue | undefined {
  if (path === null || path === '') return data
  let value: JsonValue | undefined = data
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    value = Object.hasOwn(value, key) ? value[key] : undefined
  }
  return value
}
