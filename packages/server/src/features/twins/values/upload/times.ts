import { DateTime } from 'luxon'

const iso =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i
const german = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?$/
const sinceEpoch = /^\d{10}(\d{3})?$/

/**
 * The time that a cell means, in milliseconds: ISO 8601, `2026-11-23 14:03:09`, `23.11.2026 14:03`, or seconds or milliseconds
 * since 1970.
 * @param zone of times without an offset
 * @returns null: it is no time
 */
export function timeOf(text: string, zone: string): number | null {
  if (sinceEpoch.test(text)) return text.length === 10 ? Number(text) * 1000 : Number(text)
  const [, year, month, day, ...rest] = iso.exec(text) ?? []
  if (year !== undefined) return instant([year, month, day], rest, zone)
  const [, dayFirst, monthNext, yearLast, ...after] = german.exec(text) ?? []
  return dayFirst === undefined ? null : instant([yearLast, monthNext, dayFirst], after, zone)
}

type Part = string | undefined

function instant(date: readonly Part[], clock: readonly Part[], zone: string): number | null {
  const [year, month, day] = date.map(Number) as [number, number, number]
  const [hour, minute, second, fraction = '0', offset] = clock
  const time = DateTime.fromObject(
    {
      year,
      month,
      day,
      hour: Number(hour ?? 0),
      minute: Number(minute ?? 0),
      second: Number(second ?? 0),
      millisecond: Math.floor(Number(`0.${fraction}`) * 1000),
    },
    { zone: zoneOf(offset) ?? zone },
  )
  return time.isValid ? time.toMillis() : null
}

function zoneOf(offset: Part): string | undefined {
  if (offset === undefined) return undefined
  if (/^z$/i.test(offset)) return 'utc'
  return `utc${offset.slice(0, 3)}:${offset.slice(-2)}`
}
