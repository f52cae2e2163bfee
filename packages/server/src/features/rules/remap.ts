import type { Metric, TwinQuery } from '@leitstand/contract/rules'
import { actionWithOwnStates, actionWithStates } from './actions/index.ts'
import { isStateMetric } from './metrics/index.ts'
import { isRelated } from './metrics/related/index.ts'
import type { RuleFields } from './store/definitions.ts'

/** A rule with other states in place of those it reads and sets, and another twin below which it looks for twins. */
export function withOtherStates(
  rule: RuleFields,
  stateIdOf: (id: number) => number,
  twinIdOf: (id: number) => number = (id) => id,
): RuleFields {
  const { title, active, pausedUntil, throttleHours, triggers, conditions, executionTimes } = rule
  return {
    title,
    active,
    pausedUntil,
    throttleHours,
    triggers,
    conditions,
    executionTimes,
    many: rule.many && { ...rule.many, query: withOtherTwin(rule.many.query, twinIdOf) },
    metrics: rule.metrics.map((metric) =>
      isStateMetric(metric) ? { ...metric, stateId: stateIdOf(metric.stateId) } : metric,
    ),
    actions: rule.actions.map((action) => actionWithStates(action, stateIdOf)),
  }
}

/** A rule with the ids of states of one twin in place of their keys. */
export function withOwnStates<T extends Pick<RuleFields, 'metrics' | 'actions'>>(
  rule: T,
  stateIdOf: (key: string) => number,
): T {
  return {
    ...rule,
    metrics: rule.metrics.map((metric): Metric => {
      if (!isRelated(metric) || metric.of !== 'own') return metric
      const { operation: _, of: __, stateKey, over, across: ___, ...common } = metric
      return { ...common, operation: over, stateId: stateIdOf(stateKey) }
    }),
    actions: rule.actions.map((action) => actionWithOwnStates(action, stateIdOf)),
  }
}

function withOtherTwin(query: TwinQuery, twinIdOf: (id: number) => number): TwinQuery {
  return query.twinId === undefined ? query : { ...query, twinId: twinIdOf(query.twinId) }
}
