import type { JsonValue } from '@leitstand/contract/common'
import type { PacketFault } from '@leitstand/contract/errors'
import {
  bitLength,
  bitOffset,
  type Field,
  type Layout,
  type LayoutCondition,
} from '@leitstand/contract/parsers'
import { failed, meantBy } from '../decoded.ts'
import type { Decoded, ReadyPacket } from '../run.ts'

/** What a layout reads from a payload: variables by name, or why it cannot. */
export type LayoutResult =
  | { variables: Record<string, JsonValue>; error: null }
  | { variables: null; error: PacketFault }

/** Bits a JavaScript number holds exactly. */
const exactBits = 53

/** Reads all fields of a layout; pure. Numbers that are no numbers (a float's NaN) are left as they are. */
export function readFields(bytes: Uint8Array, fields: readonly Field[]): LayoutResult {
  const variables: Record<string, JsonValue> = {}
  for (const field of fields) {
    if (bitOffset(field) + bitLength(field) > bytes.length * 8) {
      if (field.optional) continue
      return { variables: null, error: tooShort(bytes, field) }
    }
    const value = readField(bytes, field)
    if (value === undefined) {
      const message = `${field.target}: the bytes hold a digit above 9`
      return {
        variables: null,
        error: { code: 'PARSER_VALUE_INVALID', message, params: { target: field.target } },
      }
    }
    variables[field.target] = value
  }
  return { variables, error: null }
}

/** Reads a payload by the first layout that applies. */
export function readByLayouts(
  bytes: Uint8Array,
  fPort: number | null,
  layouts: readonly Layout[],
): LayoutResult {
  const layout = layouts.find(({ when }) => applies(when, bytes, fPort))
  if (layout !== undefined) return readFields(bytes, layout.fields)
  const port = fPort === null ? 'no port' : `port ${fPort}`
  const start = hexOf(bytes.subarray(0, 4))
  const message = `No layout is for ${port} and ${bytes.length} bytes that begin with ${start}`
  const params = {
    bytes: bytes.length,
    start,
    ...(fPort === null ? { kind: 'noPort' } : { kind: 'port', port: fPort }),
  }
  return { variables: null, error: { code: 'PARSER_NO_LAYOUT', message, params } }
}

/** Whether a layout is for a payload. */
export function applies(when: LayoutCondition, bytes: Uint8Array, fPort: number | null): boolean {
  const { ports, lengthMin, lengthMax, bytes: mark } = when
  if (ports.length > 0 && (fPort === null || !ports.includes(fPort))) return false
  if (lengthMin !== null && bytes.length < lengthMin) return false
  if (lengthMax !== null && bytes.length > lengthMax) return false
  if (mark === null) return true
  return hexOf(bytes.subarray(mark.offset, mark.offset + mark.value.length / 2)) === mark.value
}

function tooShort(bytes: Uint8Array, field: Field): PacketFault {
  const from = bitOffset(field)
  const first = from >> 3
  const last = (from + bitLength(field) - 1) >> 3
  const needs = first === last ? `byte ${last}` : `bytes ${first} to ${last}`
  const message = `${field.target} needs ${needs}, the payload has ${bytes.length}`
  const params = {
    kind: first === last ? 'byte' : 'bytes',
    target: field.target,
    first,
    last,
    bytes: bytes.length,
  }
  return { code: 'PARSER_PAYLOAD_TOO_SHORT', message, params }
}

/** @returns undefined when the bytes hold no such value */
function readField(bytes: Uint8Array, field: Field): JsonValue | undefined {
  const from = bitOffset(field)
  const bits = bitLength(field)
  switch (field.type) {
    case 'integer':
      return scaled(readInteger(bytes, from, bits, field), field)
    case 'float':
      return scaled(readFloat(bytesAt(bytes, from, bits, field.endian)), field)
    case 'boolean':
      return hasBit(bytes, from, bits) !== field.inverted
    case 'text':
      return readText(bytesAt(bytes, from, bits, 'big'), field.encoding)
    case 'bcd': {
      const digits = readBcd(bytes, from, bits, field.endian)
      return digits === null ? undefined : scaled(digits, field)
    }
  }
}

interface Scale {
  factor: number
  summand: number
  decimals: number | null
}

function scaled(raw: number | bigint, { factor, summand, decimals }: Scale): number {
  // Whole numbers above 2^53 are rounded once, here.
  const value = Number(raw) * factor + summand
  if (decimals === null || !Number.isFinite(value)) return value
  // Without the sign of a zero that came from rounding.
  return Number(value.toFixed(decimals)) + 0
}

/** Up to 53 bits as they stand, the first one the most significant. */
function readBits(bytes: Uint8Array, from: number, bits: number): number {
  let value = 0
  let at = from
  let left = bits
  while (left > 0) {
    const before = at & 7
    const taken = Math.min(8 - before, left)
    const part = ((bytes[at >> 3] as number) >> (8 - before - taken)) & ((1 << taken) - 1)
    value = value * 2 ** taken + part
    at += taken
    left -= taken
  }
  return value
}

function readInteger(
  bytes: Uint8Array,
  from: number,
  bits: number,
  { signed, endian }: { signed: boolean; endian: 'big' | 'little' },
): number | bigint {
  if (bits > exactBits) {
    const low = bits - 32
    const whole = (BigInt(readBits(bytes, from, low)) << 32n) | BigInt(readBits(bytes, from + low, 32))
    return signed ? BigInt.asIntN(bits, whole) : whole
  }
  let value = 0
  if (endian === 'big') value = readBits(bytes, from, bits)
  else for (let at = from + bits - 8; at >= from; at -= 8) value = value * 256 + readBits(bytes, at, 8)
  return signed && value >= 2 ** (bits - 1) ? value - 2 ** bits : value
}

function bytesAt(bytes: Uint8Array, from: number, bits: number, endian: 'big' | 'little'): Buffer {
  const taken = Buffer.alloc(bits / 8)
  for (let index = 0; index < taken.length; index++) taken[index] = readBits(bytes, from + index * 8, 8)
  return endian === 'little' ? taken.reverse() : taken
}

function readFloat(taken: Buffer): number {
  if (taken.length === 8) return taken.readDoubleBE(0)
  return taken.length === 4 ? taken.readFloatBE(0) : readHalf(taken.readUInt16BE(0))
}

/** IEEE 754 binary16: 1 bit sign, 5 exponent, 10 fraction. */
function readHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

function hasBit(bytes: Uint8Array, from: number, bits: number): boolean {
  for (let at = from; at < from + bits; at += 32) {
    if (readBits(bytes, at, Math.min(32, from + bits - at)) !== 0) return true
  }
  return false
}

function readText(taken: Buffer, encoding: 'utf8' | 'latin1' | 'hex'): string {
  if (encoding === 'hex') return hexOf(taken)
  const end = taken.indexOf(0)
  return taken.toString(encoding, 0, end === -1 ? taken.length : end)
}

/** @returns null when four bits are no digit */
function readBcd(bytes: Uint8Array, from: number, bits: number, endian: 'big' | 'little'): number | null {
  const source = endian === 'little' ? bytesAt(bytes, from, bits, 'little') : bytes
  const start = endian === 'little' ? 0 : from
  let value = 0
  for (let at = start; at < start + bits; at += 4) {
    const digit = readBits(source, at, 4)
    if (digit > 9) return null
    value = value * 10 + digit
  }
  return value
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex').toUpperCase()
}

/** Reads the bytes of a packet. */
export function readBytes(packet: ReadyPacket, read: (bytes: Uint8Array) => LayoutResult): Decoded {
  const started = performance.now()
  if (packet.encoding !== 'hex') {
    const message = 'The parser reads bytes, but the message has none'
    return failed({ code: 'PARSER_NEEDS_BYTES', message }, 0, [])
  }
  const { variables, error } = read(Buffer.from(packet.payload, 'hex'))
  const durationUs = (performance.now() - started) * 1000
  return error === null
    ? meantBy(variables, packet.time, { durationUs, console: [] })
    : failed(error, durationUs, [])
}
