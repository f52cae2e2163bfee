import { actionWithStates } from './actions/index.ts'
import { isStateMetric } from './metrics/index.ts'
import type { RuleFields } from './store/definitions.ts'

/** A rule with other states in place of those it reads and sets. */
export function withOtherStates(rule: RuleFields, stateIdOf: (id: number) => number): RuleFields {
  const { title, active, pausedUntil, throttleHours, triggers, conditions, executionTimes } = rule
  return {
    title,
    active,
    pausedUntil,
    throttleHours,
    triggers,
    conditions,
    executionTimes,
    metrics: rule.metrics.map((metric) =>
      isStateMetric(metric) ? { ...metric, stateId: stateIdOf(metric.stateId) } : metric,
    ),
    actions: rule.actions.map((action) => actionWithStates(action, stateIdOf)),
  }
}
