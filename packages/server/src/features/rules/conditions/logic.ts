import type { Condition } from '@leitstand/contract/rules'
import type { Answer, ConditionKind, Verdict } from './types.ts'

export function invert(answer: Answer): Answer {
  return answer === null ? null : !answer
}

export function allOf(answers: readonly Answer[]): Answer {
  if (answers.includes(false)) return false
  return answers.includes(null) ? null : true
}

export function anyOf(answers: readonly Answer[]): Answer {
  if (answers.includes(true)) return true
  return answers.includes(null) ? null : false
}

/** The verdict of a condition that contains others. */
export function verdict(op: string, answer: Answer, inner: readonly Verdict[]): Verdict {
  return { answer, branch: { op, met: answer === true, children: inner.map(({ branch }) => branch) } }
}

type List = Extract<Condition, { conditions: Condition[] }>

/**
 * A kind that holds a list of conditions. Evaluates all of them, so that the branch fully explains the
 * result.
 */
export function listOf(join: (answers: readonly Answer[]) => Answer): ConditionKind<List> {
  return {
    conditions: ({ conditions }) =>
      conditions.map((part, index) => ({ path: ['conditions', String(index)], part })),
    operands: () => [],
    evaluate({ op, conditions }, _inputs, inner) {
      const verdicts = conditions.map(inner)
      return verdict(op, join(verdicts.map(({ answer }) => answer)), verdicts)
    },
  }
}
