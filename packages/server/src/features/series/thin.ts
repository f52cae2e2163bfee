import type { JsonValue } from '@leitstand/contract/common'

/** `[milliseconds since 1970, value]`; null is a gap. */
export type ChartPoint = [number, JsonValue]

/**
 * Thins a series to at most `max` points by keeping the smallest and largest value of each of `max / 2`
 * stretches in time order, so that no peak disappears. A stretch of gaps becomes one gap. Points that are not
 * numbers are thinned by keeping the last of each stretch.
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

/** Number of distances on each side used to estimate the usual distance. */
const rhythmWindow = 3

/**
 * Inserts a null point where a series pauses: where the distance of two points is more than `factor` times
 * the usual one around it. Distances before and after are used, so that a device that starts to send faster
 * or slower has no gap there. Series with fewer than four points are returned unchanged.
 */
export function markGaps(points: readonly ChartPoint[], factor = 4): ChartPoint[] {
  if (points.length < 4) return [...points]
  const distances = points.slice(1).map((point, index) => point[0] - (points[index] as ChartPoint)[0])
  const marked: ChartPoint[] = [points[0] as ChartPoint]
  for (const [index, distance] of distances.entries()) {
    const before = median(distances.slice(Math.max(0, index - rhythmWindow), index))
    const after = median(distances.slice(index + 1, index + 1 + rhythmWindow))
    const usual = Math.max(before ?? 0, after ?? 0)
    if (usual > 0 && distance > usual * factor) {
      marked.push([(points[index] as ChartPoint)[0] + Math.min(usual, distance / 2), null])
    }
    marked.push(points[index + 1] as ChartPoint)
  }
  return marked
}

function median(numbers: readonly number[]): number | undefined {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
}
