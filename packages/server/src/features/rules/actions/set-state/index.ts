import type { JsonValue } from '@leitstand/contract/common'
import type { RuleAction } from '@leitstand/contract/rules'
import type { SetStateAction, TemplateSetStateAction } from '@leitstand/contract/rules/actions/set-state'
import { toColumns } from '../../../series/index.ts'
import { isSettable } from '../../../twins/index.ts'
import { checkOperand } from '../../conditions/check.ts'
import { operandValue } from '../../conditions/comparison.ts'
import type { Issue } from '../../types.ts'
import { type Computing, computeEffects } from '../computed.ts'
import { fieldOf, noState, targetOf, withOtherStates, withOwnStates } from '../states.ts'
import type { ActionKind } from '../types.ts'
import { setStates } from './write.ts'

export interface SetStateEffect {
  kind: 'set-state'
  /** null: the twin has no such state */
  stateId: number | null
  value: JsonValue
  /** computes the value before the effect is recorded */
  script?: string
  /** why it could not be computed */
  fault?: string
}

const computing: Computing<'set-state'> = {
  kind: 'set-state',
  scriptOf: ({ script }) => script ?? null,
  complete: ({ kind, stateId }, computed) =>
    computed.ok
      ? { kind, stateId, value: computed.value }
      : { kind, stateId, value: null, fault: computed.message },
}

export const setState: ActionKind<SetStateAction, TemplateSetStateAction, SetStateEffect> = {
  isLasting: false,
  setsState: true,
  check(action, { aliases, inputs, keys, earlier }) {
    const { stateId, stateKey, value } = action
    const issues = 'script' in value ? [] : checkOperand(value, aliases, ['value'])
    const add = (field: string, message: string) => issues.push({ path: [field], message })
    if ('value' in value && value.value === null) add('value', 'a value is needed')
    const isInput = stateId === undefined ? keys.has(stateKey ?? '') : inputs.has(stateId)
    if (isInput) add(fieldOf(action), 'the rule would set a state it is woken by')
    const isSame = (other: RuleAction) =>
      other.kind === 'set-state' && other.stateId === stateId && other.stateKey === stateKey
    if (earlier.some(isSame))
      issues.push({ path: [fieldOf(action)], message: 'the state is set twice', text: 'stateTwice' })
    return issues
  },
  checkStates({ stateId, value }, states) {
    const state = stateId === undefined ? undefined : states.get(stateId)
    if (state === undefined) return []
    const issues: Issue[] = []
    if (!isSettable(state.source)) {
      issues.push({
        path: ['stateId'],
        message: `${state.title} is computed and cannot be set`,
        text: 'stateComputed',
        params: { state: state.title },
      })
    }
    if ('value' in value && value.value !== null && toColumns(value.value, state.valueType) === null) {
      issues.push({ path: ['value'], message: `not a ${state.valueType}`, text: 'valueUnfitting' })
    }
    return issues
  },
  texts: () => [],
  uses: ({ stateId }) => (stateId === undefined ? [] : [{ kind: 'state', id: stateId, note: 'sets' }]),
  withStates: withOtherStates,
  withOwnStates,
  stateKeys: ({ stateKey }) => [{ key: stateKey, field: 'stateKey' }],
  scripts: ({ value }) => ('script' in value ? [value.script] : []),
  run({ kind, value, ...state }, { inputs, ownStates }) {
    const stateId = targetOf(state, ownStates)
    return 'script' in value
      ? { kind, stateId, value: null, script: value.script }
      : { kind, stateId, value: operandValue(value, inputs) }
  },
  record({ kind, stateId, value, fault }) {
    if (stateId === null) return { kind, ok: false, detail: noState }
    if (fault !== undefined) return { kind, ok: false, detail: fault, stateId }
    if (value === null) return { kind, ok: false, detail: 'no value', stateId }
    return { kind, ok: false, detail: 'waiting', stateId, value, pending: true }
  },
  create: ({ ctx, series }) => ({
    prepare: (runs, scripts) => computeEffects(scripts, runs, computing),
    finish: (executions) => setStates(ctx.db, series, executions),
  }),
}
