import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Random } from '../random.ts'
import { nodeFaultKinds, planNodeFaults } from './plan.ts'

test('the same seed plans the same faults, every kind once before any comes again', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 100 }), (seed, count) => {
      const plan = planNodeFaults(new Random(seed), count)
      expect(plan).toHaveLength(count)
      expect(planNodeFaults(new Random(seed), count)).toEqual(plan)
      const first = planNodeFaults(new Random(seed), 100).slice(0, nodeFaultKinds.length)
      expect(new Set(first)).toEqual(new Set(nodeFaultKinds))
    }),
  )
})
