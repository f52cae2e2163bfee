import { isDeepStrictEqual } from 'node:util'

/** The fields that differ, each with its value before and after, for the activity log. */
export function changesBetween(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, [unknown, unknown]> {
  return Object.fromEntries(
    Object.entries(after)
      .filter(([name, value]) => !isDeepStrictEqual(value, before[name]))
      .map(([name, value]) => [name, [before[name] ?? null, value]]),
  )
}
