import type { AggregationMethod } from '@leitstand/contract/series'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TimedValue } from '../aggregate.ts'
import { replay } from './aggregate.ts'

const meta = (method: AggregationMethod, transformer: string | null = null) => ({
  id: 9,
  sourceIds: [1, 2, 3],
  method,
  transformer,
})
const at = (ms: number) => new Date(ms)

describe('an aggregate computed anew', () => {
  test('has one value for each moment of its sources, from what each of them had then', () => {
    const before = new Map<number, TimedValue>([[1, { time: at(0), value: 10 }]])
    const events = [
      { stateId: 2, time: at(100), value: 1 },
      { stateId: 3, time: at(100), value: 2 },
      { stateId: 1, time: at(200), value: 20 },
    ]
    expect(replay(meta('sum'), before, events, 0)).toMatchObject([
      { stateId: 9, value: 13, time: at(100), values: [] },
      { stateId: 9, value: 23, time: at(200), values: [] },
    ])
    expect(replay(meta('sum', 'return value'), before, events, 150)).toMatchObject([
      { time: at(200), values: [{ stateId: 1, value: 20 }, { stateId: 2 }, { stateId: 3 }] },
    ])
  })

  test('takes the last of its sources when several have a value for the same moment', () => {
    const events = [
      { stateId: 1, time: at(0), value: 1 },
      { stateId: 3, time: at(0), value: 3 },
      { stateId: 1, time: at(9), value: 10 },
      { stateId: 3, time: at(9), value: 30 },
    ]
    expect(replay(meta('latest'), new Map(), events, 0)).toMatchObject([{ value: 3 }, { value: 30 }])
    // The order in which the sources first had a value does not count.
    expect(replay(meta('latest'), new Map(), [...events].reverse(), 0).at(0)).toMatchObject({ value: 30 })
  })

  test('is the same in one piece and in several', () => {
    const event = fc.record({
      stateId: fc.constantFrom(1, 2, 3),
      ms: fc.integer({ min: 0, max: 50 }),
      value: fc.integer({ min: -100, max: 100 }),
    })
    const method = fc.constantFrom<AggregationMethod>('sum', 'avg', 'min', 'max', 'latest', 'count', 'median')
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 40 }),
        fc.integer({ min: 0, max: 51 }),
        method,
        (raw, cut, how) => {
          const unique = new Map(raw.map((each) => [`${each.stateId} ${each.ms}`, each]))
          const events = [...unique.values()]
            .sort((a, b) => a.ms - b.ms || a.stateId - b.stateId)
            .map(({ stateId, ms, value }) => ({ stateId, time: at(ms), value }))
          const early = events.filter(({ time }) => time.getTime() < cut)
          const late = events.filter(({ time }) => time.getTime() >= cut)
          const between = new Map(early.map(({ stateId, time, value }) => [stateId, { time, value }]))
          const shown = (values: ReturnType<typeof replay>) =>
            values.map(({ time, value }) => [time.getTime(), value])
          expect([
            ...shown(replay(meta(how), new Map(), early, 0)),
            ...shown(replay(meta(how), between, late, 0)),
          ]).toEqual(shown(replay(meta(how), new Map(), events, 0)))
        },
      ),
      { verbose: 1 },
    )
  })
})
