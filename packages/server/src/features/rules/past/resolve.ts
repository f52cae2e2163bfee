import { childrenMax, type Metric } from '@leitstand/contract/rules'
import type { PastRule } from '@leitstand/contract/rules/past'
import type { Executor } from '../../../platform/db/index.ts'
import type { ScopesByCategory } from '../../twins/index.ts'
import { isRelated, type Related } from '../metrics/related/index.ts'
import { findRelated } from '../store/many.ts'
import { findNamedStates } from './store.ts'

/** Stands for a state that a twin does not have. */
const noState = 0

/** The metrics of a rule over children. */
function overChildren({ metrics }: Pick<PastRule, 'metrics'>) {
  return metrics.filter(isRelated).filter(({ of }) => of === 'children')
}

/** The states of children that a draft reads, as far as they are in these scopes, by alias. */
export function childrenOf(
  db: Executor,
  scopes: ScopesByCategory,
  twinId: number,
  rule: Pick<PastRule, 'metrics'>,
): Promise<Related> {
  const inputs = overChildren(rule).map(({ alias, of, stateKey }) => ({ alias, of, stateKey, wakes: false }))
  return findRelated(db, scopes, twinId, inputs)
}

/** Positions of the metrics that read more children than a metric can. */
export function tooManyOf({ metrics }: Pick<PastRule, 'metrics'>, children: Related): number[] {
  return metrics.flatMap(({ alias }, index) =>
    (children.get(alias)?.length ?? 0) > childrenMax ? [index] : [],
  )
}

/**
 * A rule with the states of one twin, or of its parent, in place of their keys. Metrics over children stay as they are.
 * @returns `missing`: positions of the metrics whose twin has no such state
 */
export async function resolved(
  db: Executor,
  twinId: number,
  rule: PastRule,
): Promise<{ rule: PastRule; missing: number[] }> {
  const named = rule.metrics.filter(isRelated).filter(({ of }) => of !== 'children')
  if (named.length === 0) return { rule, missing: [] }
  const ids = await findNamedStates(db, twinId, named)
  const metrics = rule.metrics.map((metric): Metric => {
    if (!isRelated(metric) || metric.of === 'children') return metric
    const { operation: _, of: __, stateKey: ___, across: ____, over, ...common } = metric
    return { ...common, operation: over, stateId: ids.get(metric.alias) ?? noState }
  })
  const missing = metrics.flatMap((metric, index) =>
    'stateId' in metric && metric.stateId === noState ? [index] : [],
  )
  return { rule: { ...rule, metrics }, missing }
}
