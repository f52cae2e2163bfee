import type {
  ExecutionTimes,
  ManyTwins,
  Metric,
  RuleAction,
  RuleConditions,
  RuleTrigger,
} from '@leitstand/contract/rules'
import { checkActions } from './actions/index.ts'
import { checkConditions } from './conditions/check.ts'
import { isScript } from './conditions/script.ts'
import { checkExecutionTimes } from './executionTimes/check.ts'
import { checkMetric, isOfOneState, ownKeysOf, statesOf } from './metrics/index.ts'
import { checkTriggers, fencesOf } from './triggers/index.ts'
import type { Issue } from './types.ts'

/** The part of a rule that can be checked on its own. */
export interface RuleDraft {
  /** absent: values */
  triggers?: readonly RuleTrigger[]
  metrics: readonly Metric[]
  conditions: RuleConditions
  actions?: readonly RuleAction[]
  executionTimes?: ExecutionTimes | null
  /** absent: it is not for many */
  many?: ManyTwins | null
}

/** Checks a draft as far as possible without the database and without compiling scripts; returns all problems at once. */
export function checkDraft(draft: RuleDraft): Issue[] {
  const aliases = new Set(draft.metrics.map(({ alias }) => alias))
  const charted = new Set(draft.metrics.filter(isOfOneState).map(({ alias }) => alias))
  const inputs = new Set(statesOf(draft.metrics))
  const keys = new Set(ownKeysOf(draft.metrics))
  return [
    ...checkTriggers({ triggers: draft.triggers ?? [], metrics: draft.metrics }),
    ...checkMany(draft),
    ...checkMetrics(draft.metrics),
    ...(isScript(draft.conditions) ? [] : checkConditions(draft.conditions, aliases)),
    ...checkExecutionTimes(draft.executionTimes ?? null),
    ...checkActions(draft.actions ?? [], { aliases, charted, inputs, keys }),
  ]
}

function checkMany({ many = null, triggers = [] }: RuleDraft): Issue[] {
  if (many === null) return []
  return fencesOf({ triggers }).flatMap(({ fence, at }): Issue[] =>
    fence.below
      ? [
          {
            path: ['triggers', String(at), 'below'],
            message: 'a rule for many compares each of its twins, nothing below them',
            text: 'manyFenceBelow',
          },
        ]
      : [],
  )
}

function checkMetrics(metrics: readonly Metric[]): Issue[] {
  const issues: Issue[] = []
  const seen = new Set<string>()
  for (const [index, metric] of metrics.entries()) {
    const path = ['metrics', String(index)]
    if (seen.has(metric.alias)) issues.push({ path: [...path, 'alias'], message: 'alias is used twice' })
    seen.add(metric.alias)
    // `{{time}}` in a text must be unambiguous.
    if (metric.alias === 'time') issues.push({ path: [...path, 'alias'], message: 'time is a reserved name' })
    for (const issue of checkMetric(metric)) {
      issues.push({ ...issue, path: [...path, ...issue.path] })
    }
  }
  return issues
}
