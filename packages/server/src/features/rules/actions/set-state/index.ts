import type { JsonValue } from '@leitstand/contract/common'
import type { SetStateAction, TemplateSetStateAction } from '@leitstand/contract/rules/actions/set-state'
import { toColumns } from '../../../series/index.ts'
import { isSettable } from '../../../twins/index.ts'
import { checkOperand } from '../../conditions/check.ts'
import { operandValue } from '../../conditions/comparison.ts'
import type { Issue } from '../../types.ts'
import { type Computing, computeEffects } from '../computed.ts'
import type { ActionKind } from '../types.ts'
import { setStates } from './write.ts'

export interface SetStateEffect {
  kind: 'set-state'
  stateId: number
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
  check({ stateId, value }, { aliases, inputs, earlier }) {
    const issues = 'script' in value ? [] : checkOperand(value, aliases, ['value'])
    const add = (field: string, message: string) => issues.push({ path: [field], message })
    if ('value' in value && value.value === null) add('value', 'a value is needed')
    if (inputs.has(stateId)) add('stateId', 'the rule would set a state it is woken by')
    if (earlier.some((other) => other.kind === 'set-state' && other.stateId === stateId)) {
      issues.push({ path: ['stateId'], message: 'the state is set twice', text: 'stateTwice' })
    }
    return issues
  },
  checkStates({ stateId, value }, states) {
    const state = states.get(stateId)
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
  uses: ({ stateId }) => [{ kind: 'state', id: stateId, note: 'sets' }],
  withStates: ({ stateId, ...action }, stateIdOf) => ({ ...action, stateId: stateIdOf(stateId) }),
  fromTemplate: ({ stateKey, ...action }, stateIdOf) => ({ ...action, stateId: stateIdOf(stateKey) }),
  stateKeys: ({ stateKey }) => [{ key: stateKey, field: 'stateKey' }],
  scripts: ({ value }) => ('script' in value ? [value.script] : []),
  run: ({ kind, stateId, value }, { inputs }) =>
    'script' in value
      ? { kind, stateId, value: null, script: value.script }
      : { kind, stateId, value: operandValue(value, inputs) },
  record({ kind, stateId, value, fault }) {
    if (fault !== undefined) return { kind, ok: false, detail: fault, stateId }
    if (value === null) return { kind, ok: false, detail: 'no value', stateId }
    return { kind, ok: false, detail: 'waiting', stateId, value, pending: true }
  },
  create: ({ ctx, series }) => ({
    prepare: (runs, scripts) => computeEffects(scripts, runs, computing),
    finish: (executions) => setStates(ctx.db, series, executions),
  }),
}
