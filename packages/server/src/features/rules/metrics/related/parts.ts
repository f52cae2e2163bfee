import { childrenMax, type RelatedMetric, type StateMetric } from '@leitstand/contract/rules'
import type { Cell } from '../read.ts'
import { combineValues } from './combine.ts'
import { isRelated, type Related, tooManyChildren } from './index.ts'

/** A state of a metric that names its states by key, as a metric of its own. */
export interface Part {
  cell: Cell<StateMetric>
  /** the metric it is a part of */
  whole: Cell
}

/** The states that have to be read for metrics that name them by key. */
export function partsOf(
  cells: readonly Cell[],
  requests: readonly { rule: { related?: Related | undefined } }[],
): Part[] {
  return cells.flatMap((whole) => {
    const { metric, request } = whole
    if (!isRelated(metric)) return []
    const stateIds = requests[request]?.rule.related?.get(metric.alias) ?? []
    if (stateIds.length > childrenMax) {
      whole.error = { code: 'VALIDATION_ERROR', message: `${metric.alias}: ${tooManyChildren}` }
      return []
    }
    return partMetrics(metric, stateIds).map(
      (part): Part => ({ whole, cell: { request, metric: part, value: null, error: null } }),
    )
  })
}

/** A metric for each of the states that a metric names by key. */
export function partMetrics(metric: RelatedMetric, stateIds: readonly number[]): StateMetric[] {
  const { of: _, stateKey: __, across: ___, over, operation: ____, ...common } = metric
  return stateIds.map((stateId) => ({ ...common, operation: over, stateId }))
}

/** Gives the metrics the values of their parts. */
export function combineParts(parts: readonly Part[]): void {
  for (const [whole, own] of Map.groupBy(parts, (part) => part.whole)) {
    if (!isRelated(whole.metric)) continue
    whole.error = own.find(({ cell }) => cell.error !== null)?.cell.error ?? null
    const values = own.map(({ cell }) => cell.value)
    const { across } = whole.metric
    whole.value = across === undefined ? (values[0] ?? null) : combineValues(values, across)
  }
}
