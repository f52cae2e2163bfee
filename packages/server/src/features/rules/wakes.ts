import type { JsonValue } from '@leitstand/contract/common'

/** One rule that one event wakes. */
export interface Wake {
  ruleId: number
  eventId: number
  /** moment of the evaluation: when the values were stored */
  at: Date
  /** values up to here are looked at: `at`, or later when the waking value is ahead of our clock */
  until: Date
  /** current values the event brought, by state */
  values: ReadonlyMap<number, JsonValue>
}

/**
 * Splits the wakes of one rule into those an earlier attempt has handled and those that are new. Attempts handle events
 * in order and a whole transaction at a time, and the last evaluation of each is always recorded: everything up to the
 * last recorded one is done, even where quiet evaluations have left no record of their own.
 */
export function newWakes<T extends { eventId: number }>(
  wakes: readonly T[],
  recorded: ReadonlySet<number>,
): T[] {
  return wakes.slice(wakes.findLastIndex(({ eventId }) => recorded.has(eventId)) + 1)
}
