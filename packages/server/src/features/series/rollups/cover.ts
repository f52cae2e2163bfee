import { dayMs, hourMs, type Level, level, slotMs } from './levels.ts'

/** Source of a stretch of a series: roll-ups of a level, or the raw values. */
export type Source = Level | typeof raw
export const raw = 3

/** A period, end exclusive; milliseconds since 1970. */
export interface Stretch {
  source: Source
  fromMs: number
  toMs: number
}

/** Starts of UTC hours and days that span more than one interval of the query. */
export interface Cuts {
  days: ReadonlySet<number>
  hours: ReadonlySet<number>
}

/** Starts of UTC hours and days whose roll-ups are stale for a state. */
export interface Stale {
  days: ReadonlySet<number>
  hours: ReadonlySet<number>
}

/** The hours and days in which one of these intervals begins, but not at their start. */
export function cutsOf(starts: readonly number[]): Cuts {
  const cuts = { days: new Set<number>(), hours: new Set<number>() }
  for (const start of starts) {
    if (start % dayMs !== 0) cuts.days.add(floor(start, dayMs))
    if (start % hourMs !== 0) cuts.hours.add(floor(start, hourMs))
  }
  return cuts
}

/**
 * Before 1975 some time zones had offsets that were not multiples of 15 minutes. There 5 minutes of UTC can
 * span two intervals, so raw values are read.
 */
const wholeQuartersSinceMs = Date.UTC(1975, 0, 1)

/**
 * Splits a range into stretches, each with the coarsest source that is exact: a day if it lies within one
 * interval of the query and is up to date, else its hours, else their 5 minutes, else the raw values.
 * @param cuts null: intervals are shorter than an hour
 * @returns ascending, without gaps; adjacent stretches have different sources
 */
export function cover(range: { fromMs: number; toMs: number }, cuts: Cuts | null, stale: Stale): Stretch[] {
  const stretches: Stretch[] = []
  for (let day = floor(range.fromMs, dayMs); day < range.toMs; day += dayMs) {
    const fromMs = Math.max(day, range.fromMs)
    const toMs = Math.min(day + dayMs, range.toMs)
    const isWhole = toMs - fromMs === dayMs
    if (fromMs < wholeQuartersSinceMs) add(stretches, raw, fromMs, toMs)
    else if (isWhole && cuts !== null && !cuts.days.has(day) && !stale.days.has(day))
      add(stretches, level.day, fromMs, toMs)
    else coverHours(stretches, { fromMs, toMs }, cuts, stale)
  }
  return stretches
}

function coverHours(
  stretches: Stretch[],
  range: { fromMs: number; toMs: number },
  cuts: Cuts | null,
  stale: Stale,
): void {
  for (let hour = floor(range.fromMs, hourMs); hour < range.toMs; hour += hourMs) {
    const fromMs = Math.max(hour, range.fromMs)
    const toMs = Math.min(hour + hourMs, range.toMs)
    if (stale.hours.has(hour)) add(stretches, raw, fromMs, toMs)
    else if (toMs - fromMs === hourMs && cuts !== null && !cuts.hours.has(hour))
      add(stretches, level.hour, fromMs, toMs)
    else coverSlots(stretches, fromMs, toMs)
  }
}

function coverSlots(stretches: Stretch[], fromMs: number, toMs: number): void {
  const first = Math.min(floor(fromMs + slotMs - 1, slotMs), toMs)
  const last = Math.max(floor(toMs, slotMs), first)
  add(stretches, raw, fromMs, first)
  add(stretches, level.fiveMinutes, first, last)
  add(stretches, raw, last, toMs)
}

function add(stretches: Stretch[], source: Source, fromMs: number, toMs: number): void {
  if (fromMs >= toMs) return
  const last = stretches.at(-1)
  if (last !== undefined && last.source === source && last.toMs === fromMs) last.toMs = toMs
  else stretches.push({ source, fromMs, toMs })
}

function floor(ms: number, size: number): number {
  return Math.floor(ms / size) * size
}
