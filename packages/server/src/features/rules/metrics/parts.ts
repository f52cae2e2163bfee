import type { Metric, StateMetric } from '@leitstand/contract/rules'
import { type RawBuilder, sql } from 'kysely'
import type { Issue } from '../types.ts'
import type { FromSummary, Look, MetricKind } from './types.ts'

/** A kind that requires a window to look back at. */
export function windowed(look: Look): MetricKind {
  return { look, isCurrent: false, isOfState: true, check: checkWindow, uses: readsState }
}

/** A number computed from all values of a window, e.g. `avg(number)`. */
export function reduction(number: RawBuilder<number | null>, fromSummary?: FromSummary): MetricKind {
  return { ...windowed({ number }), ...(fromSummary === undefined ? {} : { fromSummary }) }
}

export function readsState({ stateId }: StateMetric) {
  return [{ kind: 'state' as const, id: stateId, note: 'reads' as const }]
}

function checkWindow({ operation, lastValues, lastMinutes }: StateMetric): Issue[] {
  if (lastValues !== undefined || lastMinutes !== undefined) return []
  return [{ path: ['operation'], message: `${operation} needs the last values or the last minutes` }]
}

/** The newest or oldest number of a window, ignoring texts and JSON. */
export function endNumber(order: 'newest' | 'oldest'): RawBuilder<number | null> {
  const direction = order === 'newest' ? sql`desc` : sql`asc`
  return sql`(array_agg(number order by time ${direction}) filter (where number is not null))[1]`
}

/** A metric that is not about a state has no history to look back at. */
export function checkNoWindow({ operation, lastValues, lastMinutes }: Metric): Issue[] {
  if (lastValues === undefined && lastMinutes === undefined) return []
  return [{ path: ['operation'], message: `${operation} has no history` }]
}
