import { isDeepStrictEqual } from 'node:util'
import type { JsonValue } from '@leitstand/contract/common'

/** The last values that a rule has seen, by state. */
export type Seen = Readonly<Record<string, JsonValue>>

/**
 * Compares values with those seen last.
 * @param states those that wake the rule; values of others do not count
 * @returns null: none differs
 */
export function changedSeen(
  seen: Seen | null,
  values: ReadonlyMap<number, JsonValue>,
  states: readonly number[],
): Seen | null {
  const changed = states.filter(
    (id) => values.has(id) && !isDeepStrictEqual(seen?.[String(id)] ?? null, values.get(id)),
  )
  if (changed.length === 0) return null
  const kept = states.flatMap((id) => {
    const value = values.get(id) ?? seen?.[String(id)]
    return value === undefined ? [] : [[String(id), value] as const]
  })
  return Object.fromEntries(kept)
}
