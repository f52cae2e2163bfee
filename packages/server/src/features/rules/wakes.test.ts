import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newWakes } from './wakes.ts'

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
