import type { JsonValue } from '@leitstand/contract/common'
import type { ExecutionCause } from '@leitstand/contract/rules'
import type { ReadValue } from './metrics/read.ts'

/** A rule and a twin it runs on. */
export interface Place {
  ruleId: number
  twinId: number
}

export function placeKey({ ruleId, twinId }: Place): string {
  return `${ruleId}:${twinId}`
}

/** Each place once. */
export function distinctPlaces(places: Iterable<Place>): Place[] {
  const known = new Map<string, Place>()
  for (const { ruleId, twinId } of places) known.set(placeKey({ ruleId, twinId }), { ruleId, twinId })
  return [...known.values()]
}

/** The values that woke a rule on a twin, for the trace from a packet to an action. */
export interface Woken {
  /** at most `wokenMax`: state and time in ms */
  values: [stateId: number, timeMs: number][]
  /** values beyond */
  more: number
  /** the packet that the first of them came with */
  packet?: { deviceId: number; connectorId: number; receivedMs: number }
}

/** Values recorded of what woke a rule. */
export const wokenMax = 20

/** One rule that one event wakes on one twin. */
export interface Wake extends Place {
  eventId: number
  /** time of the evaluation: when the values were stored */
  at: Date
  /** newest time of values to read: `at`, or later when the waking value is ahead of our clock */
  until: Date
  /** current values the event brought, by state */
  values: ReadonlyMap<number, JsonValue>
  /** null: these values */
  cause: ExecutionCause | null
  /** only of a wake by values */
  woken?: Woken
  /** how many rules have woken each other in a row before */
  depth: number
  /** no new value: a condition only waited for time to pass, see `rule_live.due_at` */
  recheck?: true
  /** evaluated after its turn, in which this was read for this version of the rule */
  deferred?: { version: number; read: ReadonlyMap<string, ReadValue> | null }
}

/** Maximum rules that wake each other in a row. Loops are refused when a rule is saved. */
export const depthMax = 10

/** Maximum evaluations in one transaction. */
export const wakesPerTransaction = 2_000

/**
 * Splits the wakes of events, in the order of the events, into batches for one transaction each. Those of an event stay
 * together, unless they are too many: each wakes another rule or twin, so their order does not matter.
 */
export function batchWakes(perEvent: readonly Wake[][], perTransaction = wakesPerTransaction): Wake[][] {
  const batches: Wake[][] = []
  let batch: Wake[] = []
  for (const wakes of perEvent) {
    if (batch.length > 0 && batch.length + wakes.length > perTransaction) {
      batches.push(batch)
      batch = []
    }
    for (let first = 0; first < wakes.length; first += perTransaction) {
      if (first > 0) {
        batches.push(batch)
        batch = []
      }
      batch.push(...wakes.slice(first, first + perTransaction))
    }
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}

/**
 * Removes the wakes of one rule on one twin that an earlier attempt has handled. Attempts handle events in order and a
 * whole transaction at a time, and the event of the last evaluation is always remembered: everything up to the last
 * recorded one is done, even if quiet evaluations left no record.
 */
export function newWakes<T extends { eventId: number }>(
  wakes: readonly T[],
  recorded: ReadonlySet<number>,
): T[] {
  return wakes.slice(wakes.findLastIndex(({ eventId }) => recorded.has(eventId)) + 1)
}
