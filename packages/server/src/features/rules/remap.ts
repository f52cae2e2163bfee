import type { TwinQuery } from '@leitstand/contract/rules'
import { actionWithStates } from './actions/index.ts'
import { isStateMetric } from './metrics/index.ts'
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

function withOtherTwin(query: TwinQuery, twinIdOf: (id: number) => number): TwinQuery {
  return query.twinId === undefined ? query : { ...query, twinId: twinIdOf(query.twinId) }
}
