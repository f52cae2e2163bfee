import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Random } from '../random.ts'
import { nodeFaultKinds, planNodeFaults } from './plan.ts'

test('the same seed plans the same faults, every kind once before any comes again', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 100 }), fc.boolean(), (seed, count, hasNetworks) => {
      const plan = planNodeFaults(new Random(seed), count, hasNetworks)
      expect(plan).toHaveLength(count)
      expect(planNodeFaults(new Random(seed), count, hasNetworks)).toEqual(plan)
      const kinds = nodeFaultKinds.filter((kind) => hasNetworks || !/cut-off|split/.test(kind))
      const long = planNodeFaults(new Random(seed), 100, hasNetworks)
      expect(new Set(long.slice(0, kinds.length))).toEqual(new Set(kinds))
      expect(new Set(long)).toEqual(new Set(kinds))
    }),
  )
})
