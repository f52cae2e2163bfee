import type { JsonValue } from '@leitstand/contract/common'
import type { EventOf } from '../../../../platform/events/index.ts'
import type { ValueSource, ValuesStored, valuesStored } from '../../../../topics/valuesStored.ts'
import { type Place, placeKey, type Wake, type Woken, wokenMax } from '../../wakes.ts'

type Event = EventOf<typeof valuesStored>

interface CurrentValue {
  value: JsonValue
  timeMs: number
  /** index in the sources of the event */
  source: number
}

/** The values of an event that were the newest of their state when they were stored. */
export function currentValues({ values }: ValuesStored): Map<number, CurrentValue> {
  const current = new Map<number, CurrentValue>()
  for (const [stateId, , , timeMs, value, isCurrent, source] of values) {
    const known = current.get(stateId)
    if (isCurrent && (known === undefined || known.timeMs <= timeMs))
      current.set(stateId, { value, timeMs, source })
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
  const places = new Map<string, Place & { ms: number; woken: Woken }>()
  for (const [stateId, { timeMs, source }] of current) {
    for (const { ruleId, twinId } of placesOf.get(stateId) ?? []) {
      const key = placeKey({ ruleId, twinId })
      const known = places.get(key)
      const woken = known?.woken ?? wokenBy(event.payload.sources[source])
      if (woken.values.length < wokenMax) woken.values.push([stateId, timeMs])
      else woken.more++
      places.set(key, { ruleId, twinId, ms: Math.max(timeMs, known?.ms ?? event.at.getTime()), woken })
    }
  }
  return [...places.values()].map(({ ruleId, twinId, ms, woken }) => ({
    ruleId,
    twinId,
    eventId: event.id,
    at: event.at,
    until: new Date(ms),
    values,
    cause: null,
    woken,
    depth: 0,
  }))
}

function wokenBy(source: ValueSource | undefined): Woken {
  const woken: Woken = { values: [], more: 0 }
  if (source?.kind !== 'packet' || source.deviceId === null) return woken
  const { deviceId, connectorId, receivedMs } = source
  return { ...woken, packet: { deviceId, connectorId, receivedMs } }
}
