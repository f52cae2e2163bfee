import type { Metric, RuleAction } from '@leitstand/contract/rules'
import { distinctUses, type Use } from '../../platform/uses.ts'
import { actionUses } from './actions/index.ts'
import { usesOfMetric } from './metrics/index.ts'

/** The states a rule refers to: those it reads and those it sets. */
export function usesOfRule(rule: { metrics: readonly Metric[]; actions: readonly RuleAction[] }): Use[] {
  const read = rule.metrics.flatMap(usesOfMetric)
  return distinctUses([...read, ...actionUses(rule.actions)])
}

/** The states a rule sets. */
export function targetsOf(actions: readonly RuleAction[]): number[] {
  const set = actionUses(actions).filter(({ kind, note }) => kind === 'state' && note === 'sets')
  return [...new Set(set.map(({ id }) => id))]
}
