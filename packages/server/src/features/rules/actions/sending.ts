import type { RuleActionKind } from '@leitstand/contract/rules'
import type { Executor } from '../../../platform/db/index.ts'
import type { RuleRun } from '../collect.ts'
import type { NewExecution, RecordedAction } from '../store/pipeline.ts'
import type { EffectOf } from './index.ts'
import type { ActionRunner } from './types.ts'

/** What a message comes from. */
export interface Origin {
  /** null: a test of a rule that is not stored */
  ruleId: number | null
  ruleTitle: string
  twinId: number
  twinTitle: string
  accountId: number
  /** who tests the action; absent: the rule has fired */
  test?: { by: string }
}

export interface Sent<K extends RuleActionKind> {
  origin: Origin
  effect: EffectOf<K>
  /** how many rules have woken each other in a row before */
  depth: number
}

export const originOf = ({ rule }: RuleRun): Origin => ({
  ruleId: rule.id,
  ruleTitle: rule.title,
  twinId: rule.twinId,
  twinTitle: rule.twinTitle,
  accountId: rule.accountId,
})

/**
 * The `send` of a runner that handles all effects of a kind at once.
 * @param handle returns what the execution records of each effect, in the same order
 */
export function sending<K extends RuleActionKind>(
  kind: K,
  handle: (tx: Executor, sent: readonly Sent<K>[]) => Promise<readonly RecordedAction[]>,
): NonNullable<ActionRunner['send']> {
  return async (tx, runs, executions) => {
    const effects = runs.flatMap((run) =>
      run.outcome.effects
        .filter((effect): effect is EffectOf<K> => effect.kind === kind)
        .map((effect) => ({
          key: keyOf(run.wake),
          origin: originOf(run),
          effect,
          depth: run.wake.depth,
        })),
    )
    if (effects.length === 0) return executions
    const recorded = await handle(tx, effects)
    const byKey = new Map<string, RecordedAction[]>()
    for (const [index, { key }] of effects.entries()) {
      const list = byKey.get(key) ?? []
      byKey.set(key, list)
      list.push(recorded[index] as RecordedAction)
    }
    return executions.map((execution) => withRecorded(execution, kind, byKey))
  }
}

const keyOf = ({ ruleId, twinId, eventId }: Pick<NewExecution, 'ruleId' | 'twinId' | 'eventId'>) =>
  `${ruleId}:${twinId}:${eventId}`

/** The execution with what is recorded of its actions of a kind, in order. */
function withRecorded(
  execution: NewExecution,
  kind: RuleActionKind,
  byKey: ReadonlyMap<string, readonly RecordedAction[]>,
): NewExecution {
  const list = [...(byKey.get(keyOf(execution)) ?? [])]
  if (list.length === 0) return execution
  const actions = execution.actions.map((action) =>
    action.kind === kind ? (list.shift() ?? action) : action,
  )
  return { ...execution, actions }
}
