import type { StoredValue } from './apply.ts'

/** New position of a twin; null: unchanged. */
export interface TwinMove {
  twinId: number
  latitude: number | null
  longitude: number | null
  /** of the newest of the values; null: now */
  time: Date | null
}

/** New positions of twins, from current values in the range of degrees of the states that move them. */
export function movesOf(stored: readonly StoredValue[]): TwinMove[] {
  const moves = new Map<number, TwinMove>()
  for (const { twinId, axis, value, isCurrent, time } of stored) {
    if (axis === null || !isCurrent || typeof value !== 'number') continue
    if (Math.abs(value) > (axis === 'latitude' ? 90 : 180)) continue
    const known = moves.get(twinId) ?? { twinId, latitude: null, longitude: null, time }
    const newest = known.time !== null && known.time > time ? known.time : time
    moves.set(twinId, { ...known, [axis]: value, time: newest })
  }
  return [...moves.values()]
}
