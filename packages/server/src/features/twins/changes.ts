import { isDeepStrictEqual } from 'node:util'

/**
 * The fields an update changed, for the activity log: `{ title: { before, after } }`; undefined if none did.
 */
export function changesOf(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, { before: unknown; after: unknown }> | undefined {
  const changed = Object.keys(after)
    .filter((key) => !isDeepStrictEqual(before[key] ?? null, after[key] ?? null))
    .map((key) => [key, { before: before[key] ?? null, after: after[key] ?? null }] as const)
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}
