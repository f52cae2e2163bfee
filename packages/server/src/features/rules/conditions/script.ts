import type { JsonValue } from '@leitstand/contract/common'
import type { Branch, RuleConditions, ScriptCondition } from '@leitstand/contract/rules'
import type { ScriptEngine } from '../../../platform/scripts/index.ts'
import type { Inputs } from './types.ts'

export function isScript(conditions: RuleConditions): conditions is ScriptCondition {
  return conditions.op === 'script'
}

/** One evaluation whose conditions are a script. */
export interface ScriptQuestion {
  /** for logs and script errors */
  ruleId: string
  /** scripts of one account may share a sandbox; null: a draft, which shares with none */
  accountId: number | null
  script: string
  inputs: Inputs
  at: Date
}

/** Whether a script's conditions are met, or why it failed, and how long it took. */
export type ScriptAnswer = ({ met: boolean } | { message: string }) & { durationUs: number }

/**
 * Runs scripts for many evaluations. Equal scripts of one account with equal metrics run together, even those of different
 * rules. @returns the answers in order of the questions
 */
export async function runScripts(
  scripts: Pick<ScriptEngine, 'run'>,
  questions: readonly ScriptQuestion[],
): Promise<ScriptAnswer[]> {
  const answers: ScriptAnswer[] = []
  const groups = Map.groupBy(questions.keys(), (index) => {
    const { accountId, script, inputs } = questions[index] as ScriptQuestion
    return JSON.stringify([accountId, script, Object.keys(inputs).sort()])
  })
  for (const indexes of groups.values()) {
    const group = indexes.map((index) => questions[index] as ScriptQuestion)
    const { ruleId, accountId, script, inputs } = group[0] as ScriptQuestion
    const results = await scripts.run(
      {
        id: `${ruleId}.conditions`,
        source: script,
        kind: 'condition',
        parameters: Object.keys(inputs).sort(),
        ...(accountId === null ? {} : { group: `account:${accountId}` }),
      },
      group.map((each) => ({
        variables: each.inputs as Record<string, JsonValue>,
        metrics: each.inputs,
        meta: { time: each.at.toISOString() },
      })),
    )
    for (const [place, index] of indexes.entries()) {
      const result = results[place]
      const durationUs = result?.durationUs ?? 0
      answers[index] = result?.ok
        ? { met: result.value === true, durationUs }
        : { message: `conditions: ${result?.error.message ?? 'the script gave no answer'}`, durationUs }
    }
  }
  return answers
}

export function scriptBranch(met: boolean): Branch {
  return { op: 'script', met }
}
