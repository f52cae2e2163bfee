import type { SeriesFeature } from '../../series/index.ts'
import type { ReadValues, StateValues } from './types.ts'

/** Values as they were stored. */
export function rawValues(series: Pick<SeriesFeature, 'valuesAfter'>): ReadValues {
  return async ({ endMs }, stateIds, fromMs, limit) => {
    const found = await series.valuesAfter({
      stateIds,
      start: new Date(fromMs),
      end: new Date(endMs),
      limit,
    })
    const byState = new Map<number, StateValues>(stateIds.map((id) => [id, { values: [], upToMs: null }]))
    for (const { stateId, timeMs, value } of found)
      byState.get(stateId)?.values.push({ timeMs, placeMs: timeMs, value, measuredMs: timeMs })
    for (const each of byState.values())
      if (each.values.length === limit) each.upToMs = each.values.at(-1)?.timeMs ?? null
    return byState
  }
}
