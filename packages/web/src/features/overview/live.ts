import type { LiveValue } from '@leitstand/contract/live'
import type { OverviewState } from '@leitstand/contract/overview'

/** A state with its live value, unless that belongs to another state or is older than the one shown. */
export function withLive(state: OverviewState, live: LiveValue | undefined): OverviewState {
  if (live === undefined || live.stateId !== state.id) return state
  if (state.time !== null && live.timeMs < Date.parse(state.time)) return state
  return { ...state, value: live.value, time: new Date(live.timeMs).toISOString() }
}
