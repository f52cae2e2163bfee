import fc from 'fast-check'
import { expect, test } from 'vitest'
import { faultKinds, planFaults } from './plan.ts'
import { Random } from './random.ts'

test('the same seed plans the same faults, as many as wanted', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 150 }), (seed, count) => {
      const plan = planFaults(new Random(seed), count)
      expect(plan).toHaveLength(count)
      expect(planFaults(new Random(seed), count)).toEqual(plan)
    }),
  )
})

test('every kind comes once before any comes again', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const first = planFaults(new Random(seed), 100).slice(0, faultKinds.length)
      expect(new Set(first)).toEqual(new Set(faultKinds))
    }),
  )
})

test('chance stays within its bounds', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: -50, max: 50 }), fc.nat({ max: 50 }), (seed, min, more) => {
      const random = new Random(seed)
      for (let round = 0; round < 100; round++) {
        const whole = random.whole(min, min + more)
        expect(whole).toBeGreaterThanOrEqual(min)
        expect(whole).toBeLessThanOrEqual(min + more)
      }
    }),
  )
  expect(new Random(1).pick([])).toBeUndefined()
})
