import { LRUCache } from 'lru-cache'
import { Info } from 'luxon'
import { upTo } from '../../platform/cache.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
/** Maximum number of cached day offsets of all time zones; charts request the same days repeatedly. */
const offsetsMax = 50_000

const offsets = new LRUCache<string, number>(upTo(offsetsMax))

/**
 * Offset of a time zone from UTC at a time, in milliseconds. Clocks change at most once per UTC day, so a day
 * that begins and ends with the same offset has that offset throughout.
 * @param timeZone a valid time zone name
 */
export function offsetAt(timeMs: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0
  const day = Math.floor(timeMs / dayMs)
  const offset = offsetOfDay(day, timeZone)
  return offset === offsetOfDay(day + 1, timeZone) ? offset : ask(timeMs, timeZone)
}

function offsetOfDay(day: number, timeZone: string): number {
  const name = `${day} ${timeZone}`
  const known = offsets.get(name)
  if (known !== undefined) return known
  const offset = ask(day * dayMs, timeZone)
  offsets.set(name, offset)
  return offset
}

function ask(timeMs: number, timeZone: string): number {
  return Math.round(Info.normalizeZone(timeZone).offset(timeMs) * minuteMs)
}
