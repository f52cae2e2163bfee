import type { ManyTwins, Metric, RuleAction, RuleTrigger } from '@leitstand/contract/rules'
import { distinctUses, type Use } from '../../platform/uses.ts'
import { actionUses } from './actions/index.ts'
import { usesOfMetric } from './metrics/index.ts'
import { usesOfTriggers } from './triggers/index.ts'

/** What a rule refers to: the states it reads and those it sets, the twins its triggers watch, and what its actions use. */
export function usesOfRule(rule: {
  triggers?: readonly RuleTrigger[]
  metrics: readonly Metric[]
  actions: readonly RuleAction[]
  many?: ManyTwins | null
}): Use[] {
  const read = rule.metrics.flatMap(usesOfMetric)
  const root = rule.many?.query.twinId
  const below = root === undefined ? [] : [{ kind: 'twin' as const, id: root, note: 'below' as const }]
  return distinctUses([
    ...read,
    ...actionUses(rule.actions),
    ...usesOfTriggers(rule.triggers ?? []),
    ...below,
  ])
}

/** Keys of the states of its twin that a rule sets. */
export function ownTargetsOf(actions: readonly RuleAction[]): string[] {
  return [...new Set(actions.flatMap((action) => ('stateKey' in action ? (action.stateKey ?? []) : [])))]
}

/** The states a rule sets, as far as it names them by id. */
export function targetsOf(actions: readonly RuleAction[]): number[] {
  const set = actionUses(actions).filter(({ kind, note }) => kind === 'state' && note === 'sets')
  return [...new Set(set.map(({ id }) => id))]
}
