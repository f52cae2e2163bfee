import type { JsonValue } from '@leitstand/contract/common'
import { describe, expect, it } from 'vitest'
import type { EventOf } from '../../../../platform/events/index.ts'
import type { ValuesStored, valuesStored } from '../../../../topics/valuesStored.ts'
import { currentValues, wakesOfValues, wakingStates } from './plan.ts'

const at = new Date('2026-11-20T12:00:00.000Z')
const ms = at.getTime()

function event(
  id: number,
  values: [number, number, number, JsonValue, boolean][],
): EventOf<typeof valuesStored> {
  const stored = values.map(([state, twin, timeMs, value, isCurrent]): ValuesStored['values'][number] => [
    state,
    twin,
    't',
    timeMs,
    value,
    isCurrent,
    0,
  ])
  return {
    id,
    topic: 'values.stored',
    accountId: 1,
    payload: { sources: [{ kind: 'unknown' }], values: stored },
    at,
  }
}

const at7 = (ruleId: number) => ({ ruleId, twinId: 7 })
const rulesOf = new Map([
  [1, [at7(10), at7(11)]],
  [2, [at7(10)]],
  [3, [at7(10), { ruleId: 10, twinId: 8 }]],
])

describe('the wakes of an event', () => {
  it('are one for each rule, with every current value of it', () => {
    const [first, second] = wakesOfValues(
      event(5, [
        [1, 7, ms, 20, true],
        [2, 7, ms - 1, 'on', true],
      ]),
      rulesOf,
    )
    expect(first).toEqual({
      ruleId: 10,
      twinId: 7,
      eventId: 5,
      at,
      until: at,
      values: new Map<number, JsonValue>([
        [1, 20],
        [2, 'on'],
      ]),
      cause: null,
      woken: {
        values: [
          [1, ms],
          [2, ms - 1],
        ],
        more: 0,
      },
      depth: 0,
    })
    expect(second?.ruleId).toBe(11)
    expect(second?.woken).toEqual({ values: [[1, ms]], more: 0 })
  })

  it('name the packet the first value came with, and only so many values', () => {
    const many = event(
      5,
      Array.from({ length: 23 }, (_, index): [number, number, number, JsonValue, boolean] => [
        100 + index,
        7,
        ms,
        1,
        true,
      ]),
    )
    many.payload.sources = [{ kind: 'packet', connectorId: 4, deviceId: 7, receivedMs: ms + 5 }]
    const [wake] = wakesOfValues(many, new Map(many.payload.values.map(([id]) => [id, [at7(10)]])))
    expect(wake?.woken?.values).toHaveLength(20)
    expect(wake?.woken?.more).toBe(3)
    expect(wake?.woken?.packet).toEqual({ deviceId: 7, connectorId: 4, receivedMs: ms + 5 })
  })

  it('leave out late values', () => {
    const late = event(5, [[1, 7, ms, 20, false]])
    expect(wakesOfValues(late, rulesOf)).toEqual([])
    expect(wakingStates([late]).size).toBe(0)
  })

  it('are one for each twin of a rule', () => {
    const wakes = wakesOfValues(
      event(5, [
        [2, 7, ms, 20, true],
        [3, 7, ms, 20, true],
      ]),
      rulesOf,
    )
    expect(wakes.map(({ ruleId, twinId }) => [ruleId, twinId])).toEqual([
      [10, 7],
      [10, 8],
    ])
  })

  it('look as far as a value that is ahead of our clock', () => {
    const [wake] = wakesOfValues(event(5, [[2, 7, ms + 60_000, 1, true]]), rulesOf)
    expect(wake).toMatchObject({ at, until: new Date(ms + 60_000) })
  })
})

describe('the states of events', () => {
  it('are those with current values', () => {
    const events = [
      event(1, [
        [1, 1, ms, 5, true],
        [2, 1, ms, 5, false],
      ]),
      event(2, [[3, 1, ms, 5, true]]),
    ]
    expect([...wakingStates(events)]).toEqual([1, 3])
  })
  it('have the newest of their values, the last of equally new ones', () => {
    const values = (payload: ValuesStored) => [...currentValues(payload)]
    const { payload } = event(1, [
      [1, 1, ms, 'first', true],
      [1, 1, ms, 'second', true],
      [1, 1, ms - 1, 'older', true],
      [2, 1, ms, 'late', false],
    ])
    expect(values(payload)).toEqual([[1, { value: 'second', timeMs: ms, source: 0 }]])
  })
  it('wake nothing where no rule uses them', () => {
    expect(wakesOfValues(event(1, [[9, 1, ms, 5, true]]), rulesOf)).toEqual([])
  })
})
