import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { ruleWoken } from '../../topics/ruleWoken.ts'
import type { RuleCache } from './cache.ts'
import type { RuleRun } from './collect.ts'
import type { RuleResult } from './step.ts'
import { type RuleMemory, readRunRules } from './store/pipeline.ts'
import { isWokenByRule } from './triggers/rule/index.ts'
import { depthMax, placeKey } from './wakes.ts'
import { wakeTargets } from './wakeTargets.ts'

/** Wakes the rules that watch others, in the transaction of their evaluations. */
export async function wakeWatchers(
  ctx: Pick<Context, 'events' | 'log'>,
  tx: Executor,
  evaluated: {
    runs: readonly RuleRun[]
    /** before the evaluations */
    memory: ReadonlyMap<string, RuleMemory>
    watches: Awaited<ReturnType<RuleCache['watches']>>
  },
): Promise<void> {
  const { runs, memory, watches } = evaluated
  const watchers = runs.flatMap(({ rule }) => watches('rule', rule.id))
  if (watchers.length === 0) return
  const { rules } = await readRunRules(tx, [...new Set(watchers.map(({ ruleId }) => ruleId))])
  const others = new Map(rules.map((each) => [each.id, each]))
  const ruleIds = [...others.keys()]
  const targetOf = await wakeTargets(
    tx,
    others,
    runs.flatMap(({ rule: { id: byId, twinId } }) => ruleIds.map((ruleId) => ({ ruleId, byId, twinId }))),
  )
  const before = new Map<string, RuleResult | null>()
  for (const { rule, wake, outcome } of runs) {
    const key = placeKey(wake)
    const last = before.get(key) ?? memory.get(key)?.lastResult ?? null
    before.set(key, outcome.result)
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
    const events = woken.flatMap(({ id: ruleId, accountId }) => {
      const target = targetOf({ ruleId, byId: rule.id, twinId: rule.twinId })
      if (target === null) return []
      return [ruleWoken.event(accountId, { ruleId, ...target, cause, depth: wake.depth + 1 })]
    })
    await ctx.events.appendAll(tx, events)
  }
}
