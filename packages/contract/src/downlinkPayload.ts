import * as z from 'zod'

export const downlinkEncodings = ['base16', 'base64', 'utf8'] as const
export type DownlinkEncoding = (typeof downlinkEncodings)[number]

export const downlinkLimits = {
  /** the largest LoRaWAN payload, at the fastest data rate */
  payloadBytesMax: 242,
  /** LoRaWAN reserves FPort 0 and those above 223 */
  portMax: 223,
  predefinedMax: 50,
  parametersMax: 20,
  optionsMax: 100,
  gatewaysMax: 10,
  /** maximum waiting for one device, and for all devices of an account */
  waitingOfDeviceMax: 20,
  waitingOfAccountMax: 5_000,
  validMinutesMax: 43_200,
} as const

const ParameterBase = {
  key: z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,49}$/),
  /** empty: same as the key */
  title: z.string().max(100).default(''),
  /** first bit; 0 is the most significant bit of the first byte */
  startBit: z
    .int()
    .min(0)
    .max(downlinkLimits.payloadBytesMax * 8 - 1),
}
const ByteOrder = z.enum(['big', 'little']).default('big')
const Bits = z.int().min(1).max(32)

/** A value entered when a predefined downlink is sent, with its position in the payload. */
export const DownlinkParameter = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('integer'),
    ...ParameterBase,
    bits: Bits,
    signed: z.boolean().default(false),
    /** `little` only for whole bytes */
    byteOrder: ByteOrder,
    min: z.int().nullable().default(null),
    max: z.int().nullable().default(null),
  }),
  z.object({
    type: z.literal('float'),
    ...ParameterBase,
    /** 32 or 64 without a factor */
    bits: z.int().min(1).max(64),
    byteOrder: ByteOrder,
    /** null: IEEE 754; else the value is sent as the integer value / factor */
    factor: z.number().positive().nullable().default(null),
    /** whether the integer is signed; with a factor only */
    signed: z.boolean().default(false),
    min: z.number().nullable().default(null),
    max: z.number().nullable().default(null),
  }),
  z.object({
    type: z.literal('enum'),
    ...ParameterBase,
    bits: Bits,
    byteOrder: ByteOrder,
    options: z
      .array(z.object({ value: z.int().min(0).max(0xffff_ffff), title: z.string().min(1).max(100) }))
      .min(1)
      .max(downlinkLimits.optionsMax),
  }),
  z.object({ type: z.literal('bool'), ...ParameterBase }),
  z.object({
    type: z.literal('text'),
    ...ParameterBase,
    /** UTF-8; unused bytes are filled with 0 */
    bytes: z.int().min(1).max(downlinkLimits.payloadBytesMax),
  }),
])
export type DownlinkParameter = z.infer<typeof DownlinkParameter>

export const DownlinkValue = z.union([z.number(), z.boolean(), z.string().max(1000)])
export type DownlinkValue = z.infer<typeof DownlinkValue>
export type DownlinkValues = Readonly<Record<string, DownlinkValue>>

export type PayloadFault = 'downlinkHex' | 'downlinkBase64' | 'downlinkEmpty' | 'downlinkLong'

/** The bytes of a payload as entered by a user; ignores blanks in hexadecimal. @returns a fault as text */
export function downlinkBytes(payload: string, encoding: DownlinkEncoding): Uint8Array | PayloadFault {
  const bytes = readBytes(payload, encoding)
  if (typeof bytes === 'string') return bytes
  if (bytes.length === 0) return 'downlinkEmpty'
  return bytes.length > downlinkLimits.payloadBytesMax ? 'downlinkLong' : bytes
}

function readBytes(payload: string, encoding: DownlinkEncoding): Uint8Array | PayloadFault {
  if (encoding === 'utf8') return new TextEncoder().encode(payload)
  const bare = payload.replace(/\s/g, '')
  if (encoding === 'base16') {
    if (!/^(?:[0-9a-f]{2})*$/i.test(bare)) return 'downlinkHex'
    return Uint8Array.from(bare.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  }
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(bare) || bare.length % 4 !== 0) return 'downlinkBase64'
  return Uint8Array.from(atob(bare), (char) => char.charCodeAt(0))
}

const bitsOf = (parameter: DownlinkParameter): number =>
  parameter.type === 'bool' ? 1 : parameter.type === 'text' ? parameter.bytes * 8 : parameter.bits

/** A problem with the position or the bounds of a parameter. */
export function problemOf(
  parameter: DownlinkParameter,
  payloadBytes: number,
): { field: string; fault: string } | undefined {
  const bits = bitsOf(parameter)
  if (parameter.startBit + bits > payloadBytes * 8) return { field: 'startBit', fault: 'downlinkOutside' }
  if (parameter.startBit % 8 !== 0 || bits % 8 !== 0) {
    if (parameter.type === 'text') return { field: 'startBit', fault: 'downlinkWholeBytes' }
    if ('byteOrder' in parameter && parameter.byteOrder === 'little')
      return { field: 'byteOrder', fault: 'downlinkWholeBytes' }
  }
  if (parameter.type === 'enum')
    return parameter.options.some(({ value }) => value >= 2 ** bits)
      ? { field: 'options', fault: 'downlinkRange' }
      : undefined
  return parameter.type === 'integer' || parameter.type === 'float' ? boundsProblem(parameter) : undefined
}

function boundsProblem(
  parameter: Parameter<'integer' | 'float'>,
): { field: string; fault: string } | undefined {
  const { bits, min, max } = parameter
  if (parameter.type === 'float') {
    if (parameter.factor === null && bits !== 32 && bits !== 64)
      return { field: 'bits', fault: 'downlinkFloatBits' }
    if (parameter.factor !== null && bits > 32) return { field: 'bits', fault: 'downlinkFactorBits' }
  }
  return min !== null && max !== null && min > max ? { field: 'max', fault: 'downlinkRange' } : undefined
}

export type ParameterFault =
  | 'downlinkMissing'
  | 'downlinkNoNumber'
  | 'downlinkRange'
  | 'downlinkOption'
  | 'downlinkLong'

/** The payload of a predefined downlink with these values, or the value that does not fit. */
export type EncodedDownlink =
  | { ok: true; bytes: Uint8Array }
  | { ok: false; parameter: string | null; fault: ParameterFault | PayloadFault }

/** Writes values over the payload of a predefined downlink. */
export function encodeDownlink(
  {
    payload,
    encoding,
    parameters,
  }: { payload: string; encoding: DownlinkEncoding; parameters: readonly DownlinkParameter[] },
  values: DownlinkValues,
): EncodedDownlink {
  const base = downlinkBytes(payload, encoding)
  if (typeof base === 'string') return { ok: false, parameter: null, fault: base }
  const bytes = base.slice()
  for (const parameter of parameters) {
    const value = Object.hasOwn(values, parameter.key) ? values[parameter.key] : undefined
    const fault = write(bytes, parameter, value)
    if (fault) return { ok: false, parameter: parameter.key, fault }
  }
  return { ok: true, bytes }
}

function write(
  bytes: Uint8Array,
  parameter: DownlinkParameter,
  value: DownlinkValue | undefined,
): ParameterFault | undefined {
  const { startBit } = parameter
  if (parameter.type === 'text') return writeText(bytes, parameter, value)
  const raw = parameter.type === 'bool' ? rawBool(value) : rawNumber(parameter, value)
  if (typeof raw === 'string') return raw
  const byteOrder = parameter.type === 'bool' ? 'big' : parameter.byteOrder
  writeBits(bytes, startBit, bitsOf(parameter), raw, byteOrder)
  return undefined
}

type Parameter<T extends DownlinkParameter['type']> = Extract<DownlinkParameter, { type: T }>

function writeText(
  bytes: Uint8Array,
  { startBit, bytes: length }: Parameter<'text'>,
  value: DownlinkValue | undefined,
): ParameterFault | undefined {
  if (typeof value !== 'string') return 'downlinkMissing'
  const text = new TextEncoder().encode(value)
  if (text.length > length) return 'downlinkLong'
  bytes.fill(0, startBit / 8, startBit / 8 + length)
  bytes.set(text, startBit / 8)
  return undefined
}

function rawBool(value: DownlinkValue | undefined): bigint | ParameterFault {
  return typeof value === 'boolean' ? BigInt(value) : 'downlinkMissing'
}

function rawNumber(
  parameter: Parameter<'integer' | 'float' | 'enum'>,
  value: DownlinkValue | undefined,
): bigint | ParameterFault {
  if (typeof value !== 'number') return 'downlinkMissing'
  if (!Number.isFinite(value)) return 'downlinkNoNumber'
  if (parameter.type === 'enum')
    return parameter.options.some((option) => option.value === value) ? BigInt(value) : 'downlinkOption'
  const { min, max, bits, signed } = parameter
  if ((min !== null && value < min) || (max !== null && value > max)) return 'downlinkRange'
  if (parameter.type === 'integer') return rawInteger(value, bits, signed)
  if (parameter.factor !== null) return rawInteger(Math.round(value / parameter.factor), bits, signed)
  const view = new DataView(new ArrayBuffer(8))
  if (bits === 64) view.setFloat64(0, value)
  else view.setFloat32(0, value)
  if (bits !== 64 && !Number.isFinite(view.getFloat32(0))) return 'downlinkRange'
  return bits === 64 ? view.getBigUint64(0) : BigInt(view.getUint32(0))
}

function rawInteger(value: number, bits: number, signed: boolean): bigint | ParameterFault {
  if (!Number.isSafeInteger(value)) return 'downlinkNoNumber'
  const least = signed ? -(2 ** (bits - 1)) : 0
  const most = (signed ? 2 ** (bits - 1) : 2 ** bits) - 1
  return value < least || value > most ? 'downlinkRange' : BigInt.asUintN(bits, BigInt(value))
}

/** Writes the lowest `bits` of a value, most significant first; little: with reversed bytes. */
function writeBits(
  bytes: Uint8Array,
  startBit: number,
  bits: number,
  value: bigint,
  byteOrder: 'big' | 'little',
): void {
  for (let index = 0; index < bits; index += 1) {
    const bit = Number((value >> BigInt(bits - 1 - index)) & 1n)
    const place = byteOrder === 'big' ? index : bits - 8 - (index - (index % 8)) + (index % 8)
    const at = startBit + place
    const mask = 0x80 >> (at % 8)
    const byte = bytes[at >> 3] ?? 0
    bytes[at >> 3] = bit === 1 ? byte | mask : byte & ~mask
  }
}

/** Bytes as hexadecimal text in lower case. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
