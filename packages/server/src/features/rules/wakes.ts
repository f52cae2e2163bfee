import type { JsonValue } from '@leitstand/contract/common'

/** One rule that one event wakes. */
export interface Wake {
  ruleId: number
  eventId: number
  /** time of the evaluation: when the values were stored */
  at: Date
  /** newest time of values to read: `at`, or later when the waking value is ahead of our clock */
  until: Date
  /** current values the event brought, by state */
  values: ReadonlyMap<number, JsonValue>
  /** no new value: a condition only waited for time to pass, see `rule_live.due_at` */
  recheck?: true
}

/**
 * Removes the wakes of one rule that an earlier attempt has handled. Attempts handle events in order and a
 * whole transaction at a time, and the last evaluation of each is always recorded: everything up to the last
 * recorded one is done, even if quiet evaluations left no record.
 */
export function newWakes<T extends { eventId: number }>(
  wakes: readonly T[],
  recorded: ReadonlySet<number>,
): T[] {
  return wakes.slice(wakes.findLastIndex(({ eventId }) => recorded.has(eventId)) + 1)
}
