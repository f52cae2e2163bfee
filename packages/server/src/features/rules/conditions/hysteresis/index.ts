import type { JsonValue } from '@leitstand/contract/common'
import type { Condition } from '@leitstand/contract/rules'
import { operandValue } from '../comparison.ts'
import type { ConditionKind } from '../types.ts'

/** Remembers since when it has been met, in milliseconds. A missing value leaves that as it is. */
export const hysteresis: ConditionKind<Extract<Condition, { op: 'hysteresis' }>> = {
  conditions: () => [],
  operands: ({ input }) => [{ path: ['input'], part: input }],
  check({ direction, limit, release }) {
    const isRight = direction === 'above' ? release <= limit : release >= limit
    if (isRight) return []
    const message = `must be ${direction === 'above' ? 'at most' : 'at least'} ${limit}`
    return [{ path: ['release'], message, text: 'releaseBeyond' }]
  },
  remembers: ({ input, direction, limit, release }) => [input, direction, limit, release],
  evaluate({ op, input, direction, limit, release }, inputs, _inner, { at, past, keep }) {
    const left = operandValue(input, inputs)
    const number = asNumber(left)
    const sinceMs = typeof past === 'number' ? past : null
    const held = sinceMs !== null
    const compared = { op, direction, held, left, right: held ? release : limit }
    if (number === null) {
      if (sinceMs !== null) keep(sinceMs)
      return { answer: null, branch: { ...compared, met: false } }
    }
    const isBeyond = direction === 'above' ? number > limit : number < limit
    const isBack = direction === 'above' ? number < release : number > release
    const met = isBeyond || (held && !isBack)
    if (!met) return { answer: false, branch: { ...compared, met } }
    const startMs = sinceMs ?? at.getTime()
    keep(startMs)
    return { answer: true, branch: { ...compared, met, since: new Date(startMs).toISOString() } }
  },
}

function asNumber(value: JsonValue): number | null {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'number' ? value : null
}
