import type { Condition } from '@leitstand/contract/rules'
import type { ConditionKind } from '../types.ts'

const minuteMs = 60_000

/** Remembers since when its condition has been met, in milliseconds. */
export const lasting: ConditionKind<Extract<Condition, { op: 'for' }>> = {
  conditions: ({ condition }) => [{ path: ['condition', 'for'], part: condition }],
  operands: () => [],
  remembers: ({ condition }) => condition,
  evaluate({ op, minutes, condition }, _inputs, inner, { at, past, keep, wakeAt }) {
    const { answer, branch } = inner(condition)
    const children = [branch]
    if (answer !== true) return { answer, branch: { op, met: false, minutes, children } }
    const sinceMs = typeof past === 'number' ? Math.min(past, at.getTime()) : at.getTime()
    keep(sinceMs)
    const dueMs = sinceMs + minutes * minuteMs
    const met = at.getTime() >= dueMs
    if (!met) wakeAt(new Date(dueMs))
    const since = new Date(sinceMs).toISOString()
    return { answer: met, branch: { op, met, minutes, since, children } }
  },
}
