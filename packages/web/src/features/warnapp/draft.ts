import type { ValueType } from '@leitstand/contract/states'
import type { WarnStateInput } from '@leitstand/contract/warnapp'
import { endsOf, isMeaningful, type NumberLimits } from '@leitstand/contract/warnLevels'

/** Limits of a state that was just chosen. */
export function firstLimits(type: ValueType): WarnStateInput['limits'] {
  if (type === 'number') return { kind: 'number', badTo: null, okayTo: null, okayFrom: null, badFrom: null }
  return { kind: 'values', bad: type === 'boolean' ? ['true'] : [], okay: [] }
}

/** What is wrong with limits, as the end of a key of texts. */
export function faultOf(limits: WarnStateInput['limits']): 'none' | 'order' | 'twice' | undefined {
  if (isMeaningful(limits)) return undefined
  if (limits.kind === 'number') return endsOf(limits).length === 0 ? 'none' : 'order'
  return limits.bad.length + limits.okay.length === 0 ? 'none' : 'twice'
}

/** Fields of a number line, from left to right. */
export const ends = [
  'badTo',
  'okayTo',
  'okayFrom',
  'badFrom',
] as const satisfies readonly (keyof NumberLimits)[]

/** The address of the monitor of a twin. */
export function monitorAddress(id: number): string {
  return `${location.origin}${location.pathname}#/is-warnapp-viewer?twins=${id}`
}
