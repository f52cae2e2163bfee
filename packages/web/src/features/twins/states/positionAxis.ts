import type { PositionAxis, State } from '@leitstand/contract/states'

type Linked = Pick<State, 'id' | 'key' | 'valueType' | 'positionAxis'>

/**
 * Which part of the position of its twin a state is: linked, or by a key that begins with lat or lon as long as no other
 * state is linked.
 */
export function positionAxisOf(state: Linked, all: readonly Linked[]): PositionAxis | null {
  if (state.valueType !== 'number') return null
  if (state.positionAxis !== null) return state.positionAxis
  const axis = /^lat/i.test(state.key) ? 'latitude' : /^lon/i.test(state.key) ? 'longitude' : null
  return all.some((each) => each.positionAxis === axis) ? null : axis
}
