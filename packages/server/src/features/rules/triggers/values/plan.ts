import type { JsonValue } from '@leitstand/contract/common'
import type { EventOf } from '../../../../platform/events/index.ts'
import type { ValuesStored, valuesStored } from '../../../../topics/valuesStored.ts'
import { type Place, placeKey, type Wake } from '../../wakes.ts'

type Event = EventOf<typeof valuesStored>

/** The values of an event that were the newest of their state when they were stored. */
export function currentValues({ values }: ValuesStored): Map<number, { value: JsonValue; timeMs: number }> {
  const current = new Map<number, { value: JsonValue; timeMs: number }>()
  for (const [stateId, , , timeMs, value, isCurrent] of values) {
    const known = current.get(stateId)
    if (isCurrent && (known === undefined || known.timeMs <= timeMs)) current.set(stateId, { value, timeMs })
  }
  return current
}

/** States whose rules are needed for these events. */
export function wakingStates(events: readonly Event[]): Set<number> {
  const states = new Set<number>()
  for (const event of events) {
    for (const [stateId, , , , , isCurrent] of event.payload.values) {
      if (isCurrent) states.add(stateId)
    }
  }
  return states
}

/**
 * The rules that an event wakes: once per event and twin, regardless of how many of their states changed, and only by current values:
 * late data goes into the history and fires nothing.
 * @param placesOf the rules each state wakes, with the twins on which it does
 */
export function wakesOfValues(event: Event, placesOf: ReadonlyMap<number, readonly Place[]>): Wake[] {
  const current = currentValues(event.payload)
  const values = new Map([...current].map(([stateId, { value }]) => [stateId, value]))
  const woken = new Map<string, Place & { ms: number }>()
  for (const [stateId, { timeMs }] of current) {
    for (const { ruleId, twinId } of placesOf.get(stateId) ?? []) {
      const key = placeKey({ ruleId, twinId })
      const ms = Math.max(timeMs, woken.get(key)?.ms ?? event.at.getTime())
      woken.set(key, { ruleId, twinId, ms })
    }
  }
  return [...woken.values()].map(({ ruleId, twinId, ms }) => ({
    ruleId,
    twinId,
    eventId: event.id,
    at: event.at,
    until: new Date(ms),
    values,
    cause: null,
    depth: 0,
  }))
}
