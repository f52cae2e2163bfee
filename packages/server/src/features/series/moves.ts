import type { StoredValue } from './apply.ts'

/** New position of a twin; null: unchanged. */
export interface TwinMove {
  twinId: number
  latitude: number | null
  longitude: number | null
}

/** New positions of twins, from current values in the range of degrees of the states that move them. */
export function movesOf(stored: readonly StoredValue[]): TwinMove[] {
  const moves = new Map<number, TwinMove>()
  for (const { twinId, axis, value, isCurrent } of stored) {
    if (axis === null || !isCurrent || typeof value !== 'number') continue
    if (Math.abs(value) > (axis === 'latitude' ? 90 : 180)) continue
    const known = moves.get(twinId) ?? { twinId, latitude: null, longitude: null }
    moves.set(twinId, { ...known, [axis]: value })
  }
  return [...moves.values()]
}
