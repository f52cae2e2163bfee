import type { State } from '@leitstand/contract/states'
import type { Tone } from '../../../ui/display/Badges.tsx'
import { useStates } from './useStates.ts'
import { worstLevel } from './values.ts'

/** The colour of a twin on the map: the worst level of its states, live. */
export function useTwinTone(twinId: number): Tone {
  const states = useStates(twinId).data?.items as State[] | undefined
  return worstLevel(states ?? []) ?? 'accent'
}
