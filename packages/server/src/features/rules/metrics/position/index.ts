import type { Metric } from '@leitstand/contract/rules'
import { checkNoWindow } from '../parts.ts'
import type { OwnMetricKind } from '../types.ts'

const earthRadius = 6_371_008.8

export const position: OwnMetricKind<Extract<Metric, { operation: 'position' }>> = {
  check(metric) {
    const issues = checkNoWindow(metric)
    if (metric.position !== 'distance') return issues
    for (const field of ['latitude', 'longitude'] as const) {
      if (metric[field] === undefined) issues.push({ path: [field], message: 'the distance needs a point' })
    }
    return issues
  },
  value(metric, { latitude, longitude }) {
    if (latitude === null || longitude === null) return null
    if (metric.position !== 'distance') return { latitude, longitude }[metric.position]
    const { latitude: toLatitude = 0, longitude: toLongitude = 0 } = metric
    return distance([latitude, longitude], [toLatitude, toLongitude])
  },
}

/** Metres between two points, each latitude and longitude in degrees, on a sphere. */
function distance([latA, lonA]: [number, number], [latB, lonB]: [number, number]): number {
  const rad = Math.PI / 180
  const half = (degrees: number) => Math.sin((degrees * rad) / 2) ** 2
  const part = half(latB - latA) + Math.cos(latA * rad) * Math.cos(latB * rad) * half(lonB - lonA)
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(part)))
}
