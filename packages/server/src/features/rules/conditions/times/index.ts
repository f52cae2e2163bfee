import type { Condition } from '@leitstand/contract/rules'
import type { Answer, ConditionKind } from '../types.ts'

/**
 * Remembers the last answers of its condition as a text, oldest first: `1` met, `0` not met, `?` unknown. Only
 * evaluations with a new value count.
 */
export const times: ConditionKind<Extract<Condition, { op: 'times' }>> = {
  conditions: ({ condition }) => [{ path: ['condition', 'times'], part: condition }],
  operands: () => [],
  check({ count, of }) {
    if (count <= of) return []
    return [{ path: ['count'], message: `must be at most ${of}`, text: 'timesTooMany' }]
  },
  remembers: ({ condition, of }) => [condition, of],
  evaluate({ op, count: needed, of, condition }, _inputs, inner, { past, recheck, keep }) {
    const { answer: now, branch: child } = inner(condition)
    const before = typeof past === 'string' ? past : ''
    const answers = recheck ? before : (before + markOf(now)).slice(-of)
    keep(answers)
    const count = answers.split('1').length - 1
    const unknown = answers.split('?').length - 1
    const answer = count >= needed ? true : count + unknown >= needed ? null : false
    const seen = answers.length
    return { answer, branch: { op, met: answer === true, count, seen, needed, of, children: [child] } }
  },
}

function markOf(answer: Answer): string {
  return answer === null ? '?' : answer ? '1' : '0'
}
