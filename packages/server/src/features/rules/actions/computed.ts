import type { JsonValue } from '@leitstand/contract/common'
import type { RuleActionKind } from '@leitstand/contract/rules'
import type { ScriptEngine } from '../../../platform/scripts/types.ts'
import type { RuleRun } from '../collect.ts'
import type { Inputs } from '../conditions/types.ts'
import type { EffectOf } from './index.ts'

/** The result of a script over the metrics of a rule. */
export type Computed = { ok: true; value: JsonValue } | { ok: false; message: string }

/** One evaluation of a script: a function body with a variable for each alias, and all of them as `metrics`. */
export interface Computation {
  id: string
  script: string
  /** whose budgets it uses; null: a trial */
  accountId: number | null
  inputs: Inputs
  at: Date
}

/** Runs scripts over metrics; all computations with the same script are one call. */
export async function compute(
  scripts: Pick<ScriptEngine, 'run'>,
  computations: readonly Computation[],
): Promise<Computed[]> {
  const answers = new Map<Computation, Computed>()
  const groups = Map.groupBy(computations, ({ script, accountId, inputs }) =>
    JSON.stringify([accountId, script, Object.keys(inputs)]),
  )
  for (const group of groups.values()) {
    const [{ id, script, accountId, inputs }] = group as [Computation]
    const results = await scripts.run(
      {
        id,
        source: script,
        kind: 'value',
        parameters: Object.keys(inputs),
        ...(accountId === null ? {} : { group: `account:${accountId}` }),
      },
      group.map((each) => ({
        variables: each.inputs,
        metrics: each.inputs,
        meta: { time: each.at.toISOString() },
      })),
    )
    for (const [index, each] of group.entries()) {
      const result = results[index]
      const message = result?.ok === false ? result.error.message : 'the script gave no answer'
      answers.set(
        each,
        result?.ok ? { ok: true, value: (result.value ?? null) as JsonValue } : { ok: false, message },
      )
    }
  }
  return computations.map((each) => answers.get(each) as Computed)
}

export interface Computing<K extends RuleActionKind> {
  kind: K
  /** the script that the effect still needs; null: none */
  scriptOf(effect: EffectOf<K>): string | null
  /** the effect with the result of its script */
  complete(effect: EffectOf<K>, computed: Computed): EffectOf<K>
}

/** The evaluations with the scripts of one kind of action run. */
export async function computeEffects<K extends RuleActionKind>(
  scripts: Pick<ScriptEngine, 'run'>,
  runs: readonly RuleRun[],
  { kind, scriptOf, complete }: Computing<K>,
): Promise<readonly RuleRun[]> {
  const computations = new Map<object, Computation>()
  for (const { rule, outcome, input, wake } of runs) {
    for (const effect of outcome.effects) {
      if (effect.kind !== kind) continue
      const script = scriptOf(effect as EffectOf<K>)
      if (script === null) continue
      const { accountId, id } = rule
      computations.set(effect, {
        id: `rule:${id}.${kind}`,
        script,
        accountId,
        inputs: input.inputs,
        at: wake.at,
      })
    }
  }
  if (computations.size === 0) return runs
  const asked = [...computations]
  const results = await compute(
    scripts,
    asked.map(([, computation]) => computation),
  )
  const completed = new Map(
    asked.map(([effect], index) => [effect, complete(effect as EffectOf<K>, results[index] as Computed)]),
  )
  return runs.map((run) => {
    if (!run.outcome.effects.some((effect) => completed.has(effect))) return run
    const effects = run.outcome.effects.map((effect) => completed.get(effect) ?? effect)
    return { ...run, outcome: { ...run.outcome, effects } }
  })
}
