import type { StoredValue } from './apply.ts'

const positionKey = /^(lat|lon)/i

/** A cheap check before the regular expression, for the many values that are not positions. */
function mayBePosition(key: string): boolean {
  const first = key.charCodeAt(0) | 0x20
  return first === 0x6c
}

/** New position of a twin; null: unchanged. */
export interface TwinMove {
  twinId: number
  latitude: number | null
  longitude: number | null
}

/** New positions of twins, from current values in the range of degrees whose keys start with lat or lon. */
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
