import type { Place } from './places.ts'

const minuteMs = 60_000

/** Silences, in ms, above which nobody knows where something was in between. */
export const gapChoices = [5, 15, 60, 360, 1440].map((minutes) => minutes * minuteMs)
/** Ms of history that pass in a second. */
export const speedChoices = [1, 10, 60, 360, 1440].map((minutes) => minutes * minuteMs)

/** Playing a period should take about this long. */
const playSeconds = 60

/** Where something was at a moment, and whether it stood there, was on its way, or had not reported for long. */
export interface Moment {
  latitude: number
  longitude: number
  motion: 'stays' | 'moves' | 'silent'
  /** of its last report */
  sinceMs: number
}

const startOf = ({ time }: Place) => Date.parse(time)
const endOf = ({ until }: Place) => Date.parse(until)

/** Index of the last place that began by this time; -1 if there is none. */
function indexAt(places: readonly Place[], atMs: number): number {
  let [low, high] = [0, places.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const place = places[middle]
    if (place && startOf(place) <= atMs) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The last place that began by this time. */
export const placeAt = (places: readonly Place[], atMs: number): Place | undefined =>
  places[indexAt(places, atMs)]

/** From the first to the last report of any of the tracks; empty without any. */
export function periodOf(tracks: readonly (readonly Place[])[]): { fromMs: number; toMs: number } {
  const [firsts, lasts] = [
    tracks.flatMap((places) => places[0] ?? []),
    tracks.flatMap((places) => places.at(-1) ?? []),
  ]
  if (firsts.length === 0) return { fromMs: 0, toMs: 0 }
  return { fromMs: Math.min(...firsts.map(startOf)), toMs: Math.max(...lasts.map(endOf)) }
}

/**
 * Where something was: between two places it moves in a straight line, unless it was silent in between.
 * @param places oldest first
 * @returns null before its first report
 */
export function momentAt(places: readonly Place[], atMs: number, gapMs: number): Moment | null {
  const index = indexAt(places, atMs)
  const place = places[index]
  if (!place) return null
  const { latitude, longitude } = place
  const leftMs = endOf(place)
  if (atMs <= leftMs) return { latitude, longitude, motion: 'stays', sinceMs: startOf(place) }
  const next = places[index + 1]
  if (!next) {
    const motion = atMs - leftMs <= gapMs ? 'stays' : 'silent'
    return { latitude, longitude, motion, sinceMs: motion === 'stays' ? startOf(place) : leftMs }
  }
  const lengthMs = startOf(next) - leftMs
  if (lengthMs > gapMs) return { latitude, longitude, motion: 'silent', sinceMs: leftMs }
  const share = (atMs - leftMs) / lengthMs
  return {
    latitude: latitude + share * (next.latitude - latitude),
    longitude: between(longitude, next.longitude, share),
    motion: 'moves',
    sinceMs: leftMs,
  }
}

/** The short way round the earth. */
function between(from: number, to: number, share: number): number {
  const turn = Math.round((to - from) / 360) * 360
  const longitude = from + share * (to - turn - from)
  return longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
}

type Position = Pick<Place, 'latitude' | 'longitude'>

/**
 * The track up to a moment, in parts: silences interrupt it.
 * @param atMs null: all of it
 */
export function trackUntil(places: readonly Place[], atMs: number | null, gapMs: number): Position[][] {
  const parts: Position[][] = []
  const seen = atMs === null ? places : places.slice(0, indexAt(places, atMs) + 1)
  for (const [index, place] of seen.entries()) {
    const before = seen[index - 1]
    if (before && startOf(place) - endOf(before) <= gapMs) parts.at(-1)?.push(place)
    else parts.push([place])
  }
  const moment = atMs === null ? null : momentAt(places, atMs, gapMs)
  if (moment?.motion === 'moves') parts.at(-1)?.push(moment)
  return parts
}

/** When something was reported at a new place, before or after a moment; undefined if there is no such report. */
export function nextReport(
  tracks: readonly (readonly Place[])[],
  atMs: number,
  direction: 1 | -1,
): number | undefined {
  const found = tracks.flatMap((places) => {
    const index = indexAt(places, direction === 1 ? atMs : atMs - 1)
    const place = places[direction === 1 ? index + 1 : index]
    return place ? [startOf(place)] : []
  })
  if (found.length === 0) return undefined
  return direction === 1 ? Math.min(...found) : Math.max(...found)
}

/** The shortest choice that does not take the usual time between two reports for a silence. */
export function usualGap(places: readonly Place[]): number {
  const steps = places.slice(1).map((place, index) => startOf(place) - endOf(places[index] ?? place))
  const middle = steps.toSorted((one, other) => one - other)[steps.length >> 1] ?? 0
  return gapChoices.find((gap) => gap >= 3 * middle) ?? (gapChoices.at(-1) as number)
}

/** The slowest choice that plays a period in about a minute. */
export function usualSpeed(lengthMs: number): number {
  return speedChoices.find((speed) => lengthMs / speed <= playSeconds) ?? (speedChoices.at(-1) as number)
}
