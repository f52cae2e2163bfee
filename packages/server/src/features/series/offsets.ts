import { LRUCache } from 'lru-cache'
import { Info } from 'luxon'
import { upTo } from '../../platform/cache.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
/** Offsets of days kept in memory, of all time zones together: charts ask for the same days again and again. */
const offsetsMax = 50_000

const offsets = new LRUCache<string, number>(upTo(offsetsMax))

/**
 * How far the clocks of a time zone are ahead of UTC at a moment, in milliseconds. Clocks change at most once in a day
 * of UTC: a day that begins and ends with the same offset has it throughout.
 * @param timeZone a name that exists
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
