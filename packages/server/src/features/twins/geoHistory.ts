import type { GeoHistory, GeoHistoryInput } from '@leitstand/contract/geoHistory'
import { AppError } from '../../platform/errors.ts'
import type { SeriesFeature } from '../series/index.ts'

/** Default period if no start is given. */
const spanMs = 7 * 24 * 3_600_000

/** Past positions of a twin or device. The caller must check access. @throws AppError INVALID_DATE_RANGE */
export async function geoHistory(
  series: Pick<SeriesFeature, 'positions'>,
  { id, limit, ...asked }: GeoHistoryInput,
  now: Date,
): Promise<GeoHistory> {
  const end = asked.end === undefined ? now : new Date(asked.end)
  const start = asked.start === undefined ? new Date(end.getTime() - spanMs) : new Date(asked.start)
  if (start >= end) {
    throw new AppError('INVALID_DATE_RANGE', { startDate: start.toISOString(), endDate: end.toISOString() })
  }
  const { positions, ...rest } = await series.positions(id, { start, end }, limit)
  return {
    items: positions.map(({ time, until, latitude, longitude }) => ({
      time: time.toISOString(),
      until: until.toISOString(),
      latitude,
      longitude,
    })),
    ...rest,
  }
}
