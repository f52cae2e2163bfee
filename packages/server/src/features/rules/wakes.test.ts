import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { batchWakes, newWakes, type Wake } from './wakes.ts'

describe('newWakes', () => {
  it('takes what comes after the last recorded one (seed 20261120)', () => {
    const arbitrary = fc.record({
      handled: fc.nat(20),
      total: fc.nat(20),
      quiet: fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }),
    })
    fc.assert(
      fc.property(arbitrary, ({ handled, total, quiet }) => {
        const wakes = Array.from({ length: handled + total }, (_, index) => ({ eventId: 1000 - index }))
        // Quiet ones may have lost their record, the last one handled never has.
        const recorded = new Set(
          wakes
            .slice(0, handled)
            .filter((_, index) => index === handled - 1 || !quiet[index])
            .map(({ eventId }) => eventId),
        )
        expect(newWakes(wakes, recorded)).toEqual(wakes.slice(handled))
      }),
      { seed: 20_261_120 },
    )
  })
})

describe('batches for one transaction each', () => {
  const at = new Date('2026-11-20T12:00:00.000Z')
  const wake = (eventId: number): Wake => ({
    ruleId: 1,
    twinId: 2,
    eventId,
    at,
    until: at,
    values: new Map(),
    cause: null,
    depth: 0,
  })
  const perEvent = [1, 2, 3, 4].map((id) => [wake(id), wake(id)])

  it('are split between events only, and keep their order', () => {
    const batches = batchWakes(perEvent, 3)
    expect(batches.map((batch) => batch.map(({ eventId }) => eventId))).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4],
    ])
    expect(batchWakes(perEvent, 4).map(({ length }) => length)).toEqual([4, 4])
    expect(batchWakes(perEvent, 2)).toHaveLength(4)
  })

  it('are split within an event that wakes more than fit', () => {
    const many = [1, 2, 3, 4, 5].map((twinId) => ({ ...wake(2), twinId }))
    const batches = batchWakes([[wake(1)], many, [wake(3)]], 2)
    expect(batches.map((batch) => batch.map(({ eventId, twinId }) => [eventId, twinId]))).toEqual([
      [[1, 2]],
      [
        [2, 1],
        [2, 2],
      ],
      [
        [2, 3],
        [2, 4],
      ],
      [
        [2, 5],
        [3, 2],
      ],
    ])
  })
})
