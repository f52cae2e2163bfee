/**
 * Arrays as parameters in PostgreSQL's binary format: a batch of thousands of values is encoded once, without
 * text, quotes and escapes on either side. `pg` sends a Buffer as a binary parameter; the statement declares
 * the type of the array (`$1::int4[]`), which must match the function used here.
 *
 * The format (PostgreSQL source, `array_recv`): number of dimensions, flag for nulls, OID of the elements,
 * length and lower bound of the dimension, then for each element its length in bytes (-1: null) and its
 * bytes, all big-endian.
 */

const oid = {
  bool: 16,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  float8: 701,
  timestamptz: 1184,
  json: 114,
  jsonb: 3802,
} as const

const headBytes = 20
/** 2000-01-01T00:00:00Z, the zero of PostgreSQL's timestamps, in ms since 1970. */
const epochMs = 946_684_800_000
/** jsonb is sent as its text after a version number. */
const jsonbVersion = 1

type Column<T> = readonly (T | null)[]

/** `$1::int2[]` */
export const int2Array = (values: Column<number>): Buffer =>
  fixed(values, oid.int2, 2, (bytes, at, value) => bytes.writeInt16BE(value, at))

/** `$1::int4[]` */
export const int4Array = (values: Column<number>): Buffer =>
  fixed(values, oid.int4, 4, (bytes, at, value) => bytes.writeInt32BE(value, at))

/** `$1::int8[]`, of numbers below 2^53 or bigints */
export const int8Array = (values: Column<number | bigint>): Buffer =>
  fixed(values, oid.int8, 8, (bytes, at, value) => {
    if (typeof value === 'bigint') bytes.writeBigInt64BE(value, at)
    else writeInt64(bytes, at, value)
  })

/** `$1::float8[]` */
export const float8Array = (values: Column<number>): Buffer =>
  fixed(values, oid.float8, 8, (bytes, at, value) => bytes.writeDoubleBE(value, at))

/** `$1::bool[]` */
export const boolArray = (values: Column<boolean>): Buffer =>
  fixed(values, oid.bool, 1, (bytes, at, value) => {
    bytes[at] = value ? 1 : 0
  })

/** `$1::timestamptz[]`, whole milliseconds */
export const timeArray = (values: Column<Date>): Buffer =>
  fixed(values, oid.timestamptz, 8, (bytes, at, value) =>
    writeInt64(bytes, at, (value.getTime() - epochMs) * 1000),
  )

/** `$1::text[]`; the database rejects NUL */
export function textArray(values: Column<string>): Buffer {
  return variable(values, oid.text, 0)
}

/** `$1::json[]`, of JSON texts */
export function jsonArray(texts: Column<string>): Buffer {
  return variable(texts, oid.json, 0)
}

/** `$1::jsonb[]`, of JSON texts */
export function jsonbArray(texts: Column<string>): Buffer {
  return variable(texts, oid.jsonb, 1)
}

function fixed<T>(
  values: Column<T>,
  elementOid: number,
  size: number,
  write: (bytes: Buffer, at: number, value: T) => void,
): Buffer {
  const bytes = Buffer.allocUnsafe(headBytes + values.length * (4 + size))
  let at = headBytes
  let hasNull = false
  for (const value of values) {
    if (value === null) {
      bytes.writeInt32BE(-1, at)
      at += 4
      hasNull = true
    } else {
      bytes.writeInt32BE(size, at)
      write(bytes, at + 4, value)
      at += 4 + size
    }
  }
  return finished(bytes, at, values.length, elementOid, hasNull)
}

function variable(values: Column<string>, elementOid: number, prefixBytes: 0 | 1): Buffer {
  // A character of a JavaScript string (a UTF-16 unit) takes at most three bytes in UTF-8.
  let bytesMax = headBytes
  for (const value of values) bytesMax += 4 + prefixBytes + (value === null ? 0 : 3 * value.length)
  const bytes = Buffer.allocUnsafe(bytesMax)
  let at = headBytes
  let hasNull = false
  for (const value of values) {
    if (value === null) {
      bytes.writeInt32BE(-1, at)
      at += 4
      hasNull = true
      continue
    }
    if (prefixBytes === 1) bytes[at + 4] = jsonbVersion
    const length = prefixBytes + bytes.write(value, at + 4 + prefixBytes, 'utf8')
    bytes.writeInt32BE(length, at)
    at += 4 + length
  }
  return finished(bytes, at, values.length, elementOid, hasNull)
}

function finished(bytes: Buffer, end: number, count: number, elementOid: number, hasNull: boolean): Buffer {
  bytes.writeInt32BE(1, 0)
  bytes.writeInt32BE(hasNull ? 1 : 0, 4)
  bytes.writeInt32BE(elementOid, 8)
  bytes.writeInt32BE(count, 12)
  bytes.writeInt32BE(1, 16)
  return bytes.subarray(0, end)
}

/** Writes an integer beyond 32 bits as two halves: several times faster than a bigint for each. */
function writeInt64(bytes: Buffer, at: number, value: number): void {
  bytes.writeInt32BE(Math.floor(value / 0x1_0000_0000), at)
  bytes.writeUInt32BE(value >>> 0, at + 4)
}
