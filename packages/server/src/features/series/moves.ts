import type { StoredValue } from './apply.ts'

const positionKey = /^(lat|lon)/i

/** Cheaper than the expression, for the thousands of values that are no position. */
function mayBePosition(key: string): boolean {
  const first = key.charCodeAt(0) | 0x20
  return first === 0x6c
}

/** Where a twin is now; null: as before. */
export interface TwinMove {
  twinId: number
  latitude: number | null
  longitude: number | null
}

/** Where twins are by their current states whose keys start with lat or lon, where the number is a degree. */
export function movesOf(stored: readonly StoredValue[]): TwinMove[] {
  const moves = new Map<number, TwinMove>()
  for (const { twinId, key, value, isCurrent } of stored) {
    if (!isCurrent || typeof value !== 'number' || !mayBePosition(key) || !positionKey.test(key)) continue
    const isLatitude = key.toLowerCase().startsWith('lat')
    if (Math.abs(value) > (isLatitude ? 90 : 180)) continue
    const known = moves.get(twinId) ?? { twinId, latitude: null, longitude: null }
    moves.set(twinId, isLatitude ? { ...known, latitude: value } : { ...known, longitude: value })
  }
  return [...moves.values()]
}
