import type { Condition } from '@leitstand/contract/rules'
import { onDemand } from '../../../../lib/onDemand.ts'
import type { ConditionKind } from '../types.ts'

type Hysteresis = Extract<Condition, { op: 'hysteresis' }>

export const hysteresis: ConditionKind<Hysteresis> = {
  look: 'comparison',
  children: () => [],
  withChildren: (condition) => condition,
  operands: ({ input }) => [input],
  withOperands: (condition, [input]) => (input ? { ...condition, input } : condition),
  convert(from, _, fresh) {
    const { op, left, right } = 'left' in from ? from : fresh
    const limit = 'value' in right && typeof right.value === 'number' ? right.value : 0
    const direction = op === 'lt' || op === 'lte' ? 'below' : 'above'
    return { op: 'hysteresis', input: left, direction, limit, release: limit }
  },
  fault: ({ direction, limit, release }) =>
    (direction === 'above' ? release > limit : release < limit) ? 'releaseBeyond' : null,
  sentence({ input, direction, limit, release }, words, _, isNested) {
    const text = words.text(`rules.hysteresisText.${direction}`, {
      input: words.operand(input),
      limit: words.operand({ value: limit }),
      release: words.operand({ value: release }),
    })
    return isNested ? `(${text})` : text
  },
  decided: () => [],
  label: (branch, condition, words) => was(branch, condition, words),
  reasons: (branch, _, words, __, condition) => [was(branch, condition, words)],
  Fields: onDemand(() => import('./HysteresisFields.tsx')),
}

const was: NonNullable<ConditionKind<Hysteresis>['label']> = (branch, condition, words) => {
  const { met, held = false, direction = 'above', since, left, right } = branch
  const state = met ? (held ? 'stays' : 'begins') : held ? 'ends' : 'never'
  return words.text(`rules.hysteresisWas.${direction}.${state}`, {
    left: words.valued(condition?.input, left),
    right: words.valued(undefined, right),
    since: since === undefined ? '' : words.time(since),
  })
}
