import type { JsonValue } from '@leitstand/contract/common'

/** `[milliseconds since 1970, value]`; null is a gap. */
export type ChartPoint = [number, JsonValue]

/**
 * Thins a series to at most `max` points by keeping the smallest and the largest value of each of `max / 2` stretches,
 * in the order of their times: no peak disappears. A stretch that is a gap stays one gap. Points that are not numbers
 * are thinned by keeping the last of each stretch.
 * @param points ascending by time
 */
export function thinMinMax(points: readonly ChartPoint[], max: number): ChartPoint[] {
  if (points.length <= max) return [...points]
  const stretches = Math.max(1, Math.floor(max / 2))
  const size = points.length / stretches
  const thinned: ChartPoint[] = []
  for (let index = 0; index < stretches; index++) {
    thinned.push(...extremes(points.slice(Math.floor(index * size), Math.floor((index + 1) * size))))
  }
  return thinned
}

function extremes(stretch: readonly ChartPoint[]): ChartPoint[] {
  let low: ChartPoint | undefined
  let high: ChartPoint | undefined
  for (const point of stretch) {
    if (typeof point[1] !== 'number') continue
    if (low === undefined || point[1] < (low[1] as number)) low = point
    if (high === undefined || point[1] > (high[1] as number)) high = point
  }
  if (low === undefined || high === undefined)
    return stretch.length === 0 ? [] : [stretch.at(-1) as ChartPoint]
  if (low === high) return [low]
  return low[0] < high[0] ? [low, high] : [high, low]
}

/**
 * Puts a null point where a regular series pauses: where the distance of two points is more than `factor` times the
 * median distance. Series with fewer than four points have no recognisable rhythm and are left alone.
 */
export function markGaps(points: readonly ChartPoint[], factor = 4): ChartPoint[] {
  if (points.length < 4) return [...points]
  const distances = points.slice(1).map((point, index) => point[0] - (points[index] as ChartPoint)[0])
  const typical = distances.toSorted((a, b) => a - b)[distances.length >> 1] as number
  const marked: ChartPoint[] = []
  for (const [index, point] of points.entries()) {
    const before = points[index - 1]
    if (before !== undefined && typical > 0 && point[0] - before[0] > typical * factor) {
      marked.push([before[0] + typical, null])
    }
    marked.push(point)
  }
  return marked
}
