import type { LiveValue } from '@leitstand/contract/live'
import type { Level, State, Visualization } from '@leitstand/contract/states'

interface Limits {
  lowerBound: number | null
  upperBound: number | null
  visualization: Visualization
}

/**
 * Level of a value by its state's limits: outside the bounds it is invalid, at or above the upper threshold
 * an error, at or above the lower threshold a warning. Null if no limits are set or the value is not a
 * number.
 */
export function levelOf(value: unknown, { lowerBound, upperBound, visualization }: Limits): Level | null {
  if (typeof value !== 'number') return null
  if ((lowerBound !== null && value < lowerBound) || (upperBound !== null && value > upperBound))
    return 'invalid'
  const { lowerThreshold, upperThreshold } = visualization
  if (lowerThreshold === undefined && upperThreshold === undefined) return null
  if (upperThreshold !== undefined && value >= upperThreshold) return 'error'
  if (lowerThreshold !== undefined && value >= lowerThreshold) return 'warning'
  return 'ok'
}

/** The same as the contract's, without loading its schemas. */
const levels: readonly Level[] = ['ok', 'warning', 'invalid', 'error']

/** The worst level of the states that have limits; null if none has. */
export function worstLevel(states: readonly (Limits & { value: unknown })[]): Level | null {
  const worst = Math.max(-1, ...states.map((state) => levels.indexOf(levelOf(state.value, state) as Level)))
  return levels[worst] ?? null
}

/**
 * States with their live values; values older than those shown are ignored. Returns the same array if none is
 * newer.
 */
export function withLiveValues<S extends Pick<State, 'id' | 'value' | 'time'>>(
  states: readonly S[],
  live: readonly LiveValue[],
): readonly S[] {
  const newest = new Map<number, LiveValue>()
  for (const value of live) {
    const known = newest.get(value.stateId)
    if (!known || value.timeMs >= known.timeMs) newest.set(value.stateId, value)
  }
  let changed = false
  const next = states.map((state) => {
    const value = newest.get(state.id)
    if (!value || (state.time !== null && value.timeMs < Date.parse(state.time))) return state
    if (value.value === state.value && state.time !== null && value.timeMs === Date.parse(state.time))
      return state
    changed = true
    return { ...state, value: value.value, time: new Date(value.timeMs).toISOString() }
  })
  return changed ? next : states
}

/** A curve of points `[ms, value]`. */
export type Curve = readonly (readonly [number, unknown])[]

/**
 * Appends live values to points, at most `max` and none older than `sinceMs`. Values closer together than
 * `gapMs` replace the last point instead of adding one, so that a sparkline does not clot at its end.
 */
export function appendPoints(
  points: Curve,
  live: readonly LiveValue[],
  stateId: number,
  { sinceMs, max, gapMs = 0 }: { sinceMs: number; max: number; gapMs?: number },
): Curve {
  const lastMs = points.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY
  const added = live
    .filter((value) => value.stateId === stateId && value.timeMs > lastMs)
    .sort((a, b) => a.timeMs - b.timeMs)
  if (added.length === 0) return points
  const next = [...points]
  for (const { timeMs, value } of added) {
    const before = next.at(-2)
    if (before !== undefined && timeMs - before[0] < gapMs) next.pop()
    next.push([timeMs, value])
  }
  return next.filter(([ms]) => ms >= sinceMs).slice(-max)
}

/**
 * Up to this many times the usual spacing is not a gap: intervals may be shorter than the device's sending
 * interval.
 */
const usualPauses = 2.5

/**
 * Removes empty intervals that only result from intervals shorter than the sending interval. Real gaps keep
 * one empty point, which interrupts the line.
 */
export function bridgeGaps<T extends readonly [number, unknown]>(points: readonly T[]): readonly T[] {
  const filled = points.filter(([, value]) => value !== null)
  if (filled.length === points.length || filled.length < 3) return points
  const spacings = filled.slice(1).map(([ms], index) => ms - (filled[index]?.[0] ?? ms))
  const usual = spacings.toSorted((a, b) => a - b)[Math.floor(spacings.length / 2)] ?? 0
  const result: T[] = []
  let pause: T | undefined
  let lastMs = Number.NEGATIVE_INFINITY
  for (const point of points) {
    if (point[1] === null) {
      pause ??= point
      continue
    }
    if (pause && point[0] - lastMs > usual * usualPauses) result.push(pause)
    pause = undefined
    lastMs = point[0]
    result.push(point)
  }
  return result
}

/**
 * SVG path of a sparkline in a box of `width` × `height`; gaps interrupt the line. Empty with fewer than two
 * numbers.
 */
export function sparkPath(points: Curve, width: number, height: number): string {
  const numbers = points.flatMap(([ms, value]) => (typeof value === 'number' ? [[ms, value] as const] : []))
  const first = numbers[0]
  const last = numbers.at(-1)
  if (!first || !last || numbers.length < 2 || last[0] === first[0]) return ''
  const values = numbers.map(([, value]) => value)
  const low = Math.min(...values)
  const span = Math.max(...values) - low
  const pad = 2
  const x = (ms: number) => round(((ms - first[0]) / (last[0] - first[0])) * width)
  // A flat line runs through the middle.
  const y = (value: number) =>
    round(span === 0 ? height / 2 : height - pad - ((value - low) / span) * (height - 2 * pad))
  let pen = 'M'
  const parts: string[] = []
  for (const [ms, value] of points) {
    if (typeof value !== 'number') {
      pen = 'M'
      continue
    }
    parts.push(`${pen}${x(ms)} ${y(value)}`)
    pen = 'L'
  }
  return parts.join('')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
