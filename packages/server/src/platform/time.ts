/**
 * The one parser for times sent by devices, networks and people (architecture.md, section 4).
 *
 * - ISO 8601 with a zone (`Z`, `+01:00`, `+0100`, `+01`) or without one (then UTC), `T` or a space in the
 *   middle, up to nine digits after the second (anything finer than a millisecond is cut off), or a date
 *   alone (midnight UTC).
 * - Numbers, and numbers written as text, since 1970: seconds, milliseconds, microseconds or nanoseconds,
 *   distinguished by their magnitude, with or without a fraction.
 *
 * @returns null when it is none of these, or a date that does not exist
 */
export function parseTime(input: unknown): Date | null {
  if (typeof input === 'number') return fromEpoch(input)
  if (typeof input !== 'string') return null
  const plain = fromPlainIso(input)
  if (plain !== null) return plain
  const text = input.trim()
  if (/^-?\d{5,}(\.\d+)?$/.test(text)) return fromEpoch(Number(text))
  return fromIso(text)
}

/**
 * Smaller numbers are seconds (until the year 5138), then milliseconds, then microseconds, then
 * nanoseconds.
 */
const secondsBelow = 1e11
const millisecondsBelow = 1e14
const microsecondsBelow = 1e17
/** The range of a Date. */
const dateMsMax = 8.64e15

function fromEpoch(value: number): Date | null {
  if (!Number.isFinite(value)) return null
  const size = Math.abs(value)
  const ms = size < secondsBelow ? value * 1000 : size < millisecondsBelow ? value : finerThanMs(value, size)
  // 1700000000.123 * 1000 is slightly below the integer, and nanoseconds are only exact to a quarter of a
  // microsecond.
  const whole = Math.floor(ms + 1e-3)
  return Math.abs(whole) <= dateMsMax ? new Date(whole) : null
}

function finerThanMs(value: number, size: number): number {
  return size < microsecondsBelow ? value / 1e3 : value / 1e6
}

const iso =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/**
 * Fast path without a regular expression for `2026-11-20T15:04:05.123456789Z`, the form networks send; null
 * for all other forms.
 */
function fromPlainIso(text: string): Date | null {
  const { length } = text
  if (length < 20 || length > 30 || text.charCodeAt(length - 1) !== code.Z) return null
  if (text.charCodeAt(4) !== code.dash || text.charCodeAt(7) !== code.dash) return null
  if (text.charCodeAt(10) !== code.T) return null
  if (text.charCodeAt(13) !== code.colon || text.charCodeAt(16) !== code.colon) return null
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)]
  const [hour, minute, second] = [digits(text, 11, 2), digits(text, 14, 2), digits(text, 17, 2)]
  let ms = 0
  if (length > 20) {
    if (text.charCodeAt(19) !== code.point || length === 21) return null
    const fraction = digits(text, 20, length - 21)
    if (fraction < 0) return null
    ms = Math.floor(fraction * 10 ** (3 - (length - 21)) + 1e-9)
  }
  // Every month has these days; anything beyond, or not a digit, takes the slower path.
  if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 28) return null
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return null
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second, ms))
}

const code = { dash: 45, point: 46, colon: 58, T: 84, Z: 90 } as const

/** A number of this many digits, or -1. */
function digits(text: string, from: number, count: number): number {
  let value = 0
  for (let at = from; at < from + count; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return value
}

function fromIso(text: string): Date | null {
  const match = iso.exec(text)
  if (!match) return null
  const part = (index: number) => Number(match[index] ?? 0)
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)]
  if (hour > 23 || minute > 59 || second > 59) return null
  const ms = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))
  const date = new Date(Date.UTC(2000, 0, 1, hour, minute, second, ms))
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null
  const offsetMs = offsetOf(match[8])
  return offsetMs === null ? null : new Date(date.getTime() - offsetMs)
}

function offsetOf(zone: string | undefined): number | null {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.replace(':', '').slice(3) || 0)
  if (hours > 14 || minutes > 59) return null
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}
