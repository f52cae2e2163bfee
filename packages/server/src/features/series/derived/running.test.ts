import type { AggregationMethod } from '@leitstand/contract/series'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { combine, inOrderOfSources, newest, type TimedValue } from '../aggregate.ts'
import { ExactSum, sumOf } from './exactSum.ts'
import { RunningAggregate } from './running.ts'

const methods = ['latest', 'avg', 'min', 'max', 'sum', 'median', 'count'] as const
const sourceIds = [7, 3, 9, 1, 5]
const value = fc.oneof(
  { weight: 6, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { weight: 6, arbitrary: fc.integer({ min: -50, max: 50 }).map((n) => n / 10) },
  fc.boolean(),
  fc.string(),
)
const change = fc.record({
  stateId: fc.constantFrom(...sourceIds, 42),
  value,
  // Few moments, so that many values have the same.
  time: fc.integer({ min: 0, max: 12 }).map((ms) => new Date(ms)),
  replaces: fc.boolean(),
})

/** What all sources have, computed from the beginning. */
function recomputed(method: AggregationMethod, current: ReadonlyMap<number, TimedValue>) {
  const inputs = inOrderOfSources(sourceIds, current)
  const combined = combine(method, inputs)
  return combined === null || inputs.length === 0 ? null : { value: combined, time: newest(inputs)?.time }
}

describe('a running aggregate', () => {
  test.each(methods)('%s: answers after each value what all values together do', (method) => {
    fc.assert(
      fc.property(fc.array(change), fc.array(change, { maxLength: 40 }), (before, changes) => {
        const current = new Map<number, TimedValue>()
        const store = ({ stateId, value, time, replaces }: (typeof changes)[number]) => {
          const known = current.get(stateId)
          const isNewer = known === undefined || known.time < time
          if (isNewer || (replaces && known.time.getTime() === time.getTime()))
            current.set(stateId, { value, time })
        }
        for (const each of before) store(each)
        const running = new RunningAggregate(method, sourceIds, current)
        expect(running.result()).toEqual(recomputed(method, current))
        for (const each of changes) {
          store(each)
          running.set(each.stateId, { value: each.value, time: each.time }, each.replaces)
          expect(running.result()).toEqual(recomputed(method, current))
        }
        expect(running.inputs()).toEqual(inOrderOfSources(sourceIds, current))
      }),
    )
  })

  test.each(methods)('%s: is the same when it is loaded in pieces', async (method) => {
    const many = Array.from({ length: 4_500 }, (_, at) => at + 1)
    const current = new Map(
      many.map((id) => [id, { value: (id * 7919) % 1000, time: new Date(id % 50) }] as const),
    )
    let turns = 0
    const turn = async () => {
      turns++
    }
    const running = await RunningAggregate.inPieces(method, many, current, turn)
    expect(running.result()).toEqual(new RunningAggregate(method, many, current).result())
    expect(turns).toBeGreaterThan(2)
    running.set(17, { value: -5, time: new Date(60) })
    const changed = new RunningAggregate(
      method,
      many,
      new Map([...current, [17, { value: -5, time: new Date(60) }]]),
    )
    expect(running.result()).toEqual(changed.result())
  })

  test('has nothing to say before a source has a number', () => {
    const running = new RunningAggregate('avg', sourceIds, new Map())
    expect(running.result()).toBeNull()
    running.set(7, { value: 'text', time: new Date(1) })
    expect(running.result()).toBeNull()
  })
})

describe('an exact sum', () => {
  test('does not depend on the order, and nothing is left of what was taken away', () => {
    const numbers = fc.array(fc.double({ noNaN: true, min: -1e290, max: 1e290 }))
    fc.assert(
      fc.property(numbers, numbers, (kept, gone) => {
        const sum = new ExactSum()
        for (const number of [...gone, ...kept]) sum.add(number)
        for (const number of gone.toReversed()) sum.add(-number)
        expect(sum.value()).toBe(sumOf(kept.toReversed()))
      }),
    )
  })

  test('rounds once', () => {
    expect(sumOf([0.1, 0.2, 0.3])).toBe(0.6)
    expect(sumOf([1e100, 1, -1e100])).toBe(1)
    expect(sumOf([])).toBe(0)
  })
})
