import type { Metric } from '@leitstand/contract/rules'
import type { PastRule } from '@leitstand/contract/rules/past'
import type { Executor } from '../../../platform/db/index.ts'
import { isRelated } from '../metrics/related/index.ts'
import { findNamedStates } from './store.ts'

/** Stands for a state that a twin does not have. */
const noState = 0

/**
 * A rule with the states of one twin, or of its parent, in place of their keys.
 * @returns `missing`: positions of the metrics whose twin has no such state
 */
export async function resolved(
  db: Executor,
  twinId: number,
  rule: PastRule,
): Promise<{ rule: PastRule; missing: number[] }> {
  const named = rule.metrics.filter(isRelated)
  if (named.length === 0) return { rule, missing: [] }
  const ids = await findNamedStates(db, twinId, named)
  const metrics = rule.metrics.map((metric): Metric => {
    if (!isRelated(metric)) return metric
    const { operation: _, of: __, stateKey: ___, across: ____, over, ...common } = metric
    return { ...common, operation: over, stateId: ids.get(metric.alias) ?? noState }
  })
  const missing = metrics.flatMap((metric, index) =>
    'stateId' in metric && metric.stateId === noState ? [index] : [],
  )
  return { rule: { ...rule, metrics }, missing }
}
