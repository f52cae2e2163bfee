import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deviceSpecs } from './city.ts'
import { chance, meter } from './curves.ts'

const time = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) })

describe('values of the demo city', () => {
  it('are the same for the same moment, so that history and live values fit together', () => {
    fc.assert(
      fc.property(fc.nat(1000), time, (seed, at) => {
        expect(chance(seed, at)).toBe(chance(seed, at))
        expect(chance(seed, at)).toBeGreaterThanOrEqual(0)
        expect(chance(seed, at)).toBeLessThan(1)
      }),
    )
  })
  it('of meters never run backwards', () => {
    fc.assert(
      fc.property(fc.nat(1000), time, fc.integer({ min: 1, max: 10_000_000 }), (seed, at, laterMs) => {
        expect(meter(seed, at + laterMs, 100, 3)).toBeGreaterThanOrEqual(meter(seed, at, 100, 3))
      }),
    )
  })
  it('make an uplink of every device at any time', () => {
    fc.assert(
      fc.property(time, (at) => {
        for (const { uplink } of deviceSpecs) expect(uplink(at).bytes.length).toBeGreaterThan(0)
      }),
      { numRuns: 30 },
    )
  })
})
