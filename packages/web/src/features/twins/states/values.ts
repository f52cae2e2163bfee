import type { LiveValue } from '@leitstand/contract/live'
import type { State, Visualization } from '@leitstand/contract/states'

/** What a value means: within its limits, above a threshold, or outside of what is plausible. */
export type Level = 'ok' | 'warning' | 'error' | 'invalid'

interface Limits {
  lowerBound: number | null
  upperBound: number | null
  visualization: Visualization
}

/**
 * Level of a value by the limits of its state: outside of the bounds it is invalid, from the upper threshold on an
 * error, from the lower threshold on a warning. Null when nothing is set or the value is no number: then it means
 * nothing.
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

/** States with the values that arrived live; older ones than those shown change nothing. Same array when none is newer. */
export function withLiveValues(states: readonly State[], live: readonly LiveValue[]): readonly State[] {
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
 * Points with live values behind them, at most `max` and none older than `sinceMs`. Values closer together than
 * `gapMs` move the last point instead of adding one, so that a small curve does not clot at its end.
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

/** Pauses up to this many times the usual spacing are no gaps: intervals may be shorter than a device's rhythm. */
const usualPauses = 2.5

/**
 * Points without the empty intervals that only come from intervals shorter than the rhythm of the values. Real gaps
 * keep one empty point, so that the line is interrupted there.
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
 * SVG path of a small curve in a box of `width` × `height`; gaps interrupt the line. Empty with fewer than two numbers.
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
