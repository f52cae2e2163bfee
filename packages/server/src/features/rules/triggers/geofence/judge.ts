import {
  type GeofenceMode,
  type GeofenceTrigger,
  isProximity,
} from '@leitstand/contract/rules/triggers/geofence'

/** On which side of an edge a twin is, and since when. */
export interface FenceState {
  isInside: boolean
  sinceMs: number
  /** when it will have stayed long enough; null: it does not matter, or was reported */
  dueMs: number | null
}

type Fence = Pick<GeofenceTrigger, 'mode' | 'minutes' | 'distance' | 'margin'>

/** Which side a twin is on where nothing is stored. */
export function restsInside(mode: GeofenceMode): boolean {
  return mode === 'dwelltime_out'
}

/** Metres from the area up to which a twin is inside: for `proximity_…` the edge is moved outwards. */
export function edgeOf({ mode, distance = 0 }: Fence): number {
  return isProximity(mode) ? distance : 0
}

/**
 * Pure. What a position means for a fence. Between the edge and its margin a twin stays on the side it was on. A position older than
 * the state counts from when that began.
 * @param before null: the first position, which only tells where the twin is; staying counts from it
 * @param metres from the position to the edge of the area, below zero inside
 */
export function judgePosition(
  fence: Fence,
  before: FenceState | null,
  metres: number,
  atMs: number,
): { state: FenceState; wakes: boolean } {
  const { mode, margin } = fence
  const edge = edgeOf(fence)
  const isInside = metres <= edge || (metres <= edge + margin && before?.isInside === true)
  if (before === null) return { state: begun(fence, isInside, atMs), wakes: false }
  const nowMs = Math.max(atMs, before.sinceMs)
  const hasStayed = before.dueMs !== null && before.dueMs <= nowMs
  if (isInside === before.isInside)
    return { state: hasStayed ? { ...before, dueMs: null } : before, wakes: hasStayed }
  return { state: begun(fence, isInside, nowMs), wakes: hasStayed || isCrossing(mode, isInside) }
}

function begun({ mode, minutes = 0 }: Fence, isInside: boolean, sinceMs: number): FenceState {
  const counts = isInside ? mode === 'dwelltime' : mode === 'dwelltime_out'
  return { isInside, sinceMs, dueMs: counts ? sinceMs + minutes * 60_000 : null }
}

function isCrossing(mode: GeofenceMode, isInside: boolean): boolean {
  return isInside
    ? mode === 'enter' || mode === 'proximity_closing'
    : mode === 'exit' || mode === 'proximity_movingout'
}
