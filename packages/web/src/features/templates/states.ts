import type { DriverVariable } from '@leitstand/contract/drivers'
import type { SourceSettings } from '@leitstand/contract/states'
import { emptyState, type StateForm, toStateForm as toForm, toStateInput as toInput } from '../twins/pure.ts'
import type { TemplateState } from './queries.ts'

/**
 * State and rule sheets identify states by number; template states only have keys, so their number is their
 * position, from 1.
 */
export function stateNumber(key: string, states: readonly Pick<TemplateState, 'key'>[]): number {
  return states.findIndex((state) => state.key === key) + 1
}

/** The key of the state with this number. */
export function stateKey(number: number, states: readonly Pick<TemplateState, 'key'>[]): string {
  return states[number - 1]?.key ?? ''
}

/** Settings of any source of a template. */
type AnySettings = SourceSettings & { stateKeys?: string[] | undefined }

/** A template's state as form values. */
export function toStateForm(state: TemplateState, states: readonly TemplateState[]): StateForm {
  const { stateKeys = [], ...settings }: AnySettings = state.sourceSettings
  const stateIds = stateKeys.map((key) => stateNumber(key, states)).filter((number) => number > 0)
  return { ...emptyState, ...toForm({ ...state, sourceSettings: { ...settings, stateIds } }) }
}

/** The editor's form as a state of the template. */
export function fromStateForm(form: StateForm, states: readonly TemplateState[]): TemplateState {
  const { source, sourceSettings, ...input } = toInput(form)
  const { stateIds, connectorId: _, identifier: __, ...settings }: AnySettings = sourceSettings
  const state = {
    ...input,
    key: form.key,
    source: source === 'connector' || source === 'random' || source === 'aggregate' ? source : 'none',
    sourceSettings: {
      ...settings,
      ...(stateIds ? { stateKeys: stateIds.map((number) => stateKey(number, states)) } : {}),
    },
  }
  // TypeScript does not relate the source and its settings; the form has only those of its source.
  return state as TemplateState
}

/** States for a driver's variables that have none in the template. */
export function statesOfDriver(
  variables: readonly DriverVariable[],
  states: readonly TemplateState[],
): TemplateState[] {
  return variables
    .filter(({ key }) => !states.some((state) => state.key === key))
    .map(({ key, title, unit, valueType = 'number' }) =>
      fromStateForm(
        { ...emptyState, key, title: title || key, unit, valueType, source: 'connector' },
        states,
      ),
    )
}
