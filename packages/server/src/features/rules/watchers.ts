import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { ruleWoken } from '../../topics/ruleWoken.ts'
import type { RuleCache } from './cache.ts'
import type { RuleRun } from './collect.ts'
import type { RuleResult } from './step.ts'
import { type RuleMemory, readRunRules } from './store/pipeline.ts'
import { isWokenByRule } from './triggers/rule/index.ts'
import { depthMax } from './wakes.ts'

/** Wakes the rules that watch others, in the transaction of their evaluations. */
export async function wakeWatchers(
  ctx: Pick<Context, 'events' | 'log'>,
  tx: Executor,
  evaluated: {
    runs: readonly RuleRun[]
    /** before the evaluations */
    memory: ReadonlyMap<number, RuleMemory>
    watches: Awaited<ReturnType<RuleCache['watches']>>
  },
): Promise<void> {
  const { runs, memory, watches } = evaluated
  const watchers = runs.flatMap(({ rule }) => watches('rule', rule.id))
  if (watchers.length === 0) return
  const { rules } = await readRunRules(tx, [...new Set(watchers.map(({ ruleId }) => ruleId))])
  const before = new Map<number, RuleResult | null>()
  for (const { rule, wake, outcome } of runs) {
    const last = before.get(rule.id) ?? memory.get(rule.id)?.lastResult ?? null
    before.set(rule.id, outcome.result)
    const woken = rules.filter(({ triggers }) =>
      triggers.some(
        (trigger) =>
          trigger.kind === 'rule' &&
          trigger.ruleId === rule.id &&
          isWokenByRule(trigger, last, outcome.result),
      ),
    )
    if (woken.length > 0 && wake.depth >= depthMax) {
      ctx.log.error({ ruleId: rule.id }, 'rules wake each other endlessly; stopped')
      continue
    }
    const cause = { kind: 'rule', ruleId: rule.id } as const
    const events = woken.map(({ id: ruleId, accountId }) =>
      ruleWoken.event(accountId, { ruleId, cause, depth: wake.depth + 1 }),
    )
    await ctx.events.appendAll(tx, events)
  }
}
