import type { JsonValue } from '@leitstand/contract/common'
import { acrossOperations } from '@leitstand/contract/rules'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { combineValues } from './combine.ts'

const value: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.integer({ min: -50, max: 50 }),
  fc.boolean(),
  fc.constant(null),
  fc.constant('text'),
)

describe('one value from those of several states', () => {
  it('is between the lowest and the highest; what is no number does not count', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 8 }), (values) => {
        const numbers = values
          .filter((each) => typeof each === 'number' || typeof each === 'boolean')
          .map(Number)
          .sort((one, other) => one - other)
        const of = (across: (typeof acrossOperations)[number]) => combineValues(values, across)
        expect(of('count')).toBe(values.filter((each) => each !== null).length)
        if (numbers.length === 0) {
          for (const across of acrossOperations) if (across !== 'count') expect(of(across)).toBeNull()
          return
        }
        expect(of('min')).toBe(numbers[0])
        expect(of('max')).toBe(numbers.at(-1))
        const total = numbers.reduce((before, number) => before + number, 0)
        expect(of('sum')).toBe(total)
        expect(of('avg')).toBeCloseTo(total / numbers.length)
        const median = of('median') as number
        expect(numbers.filter((number) => number < median).length).toBeLessThanOrEqual(numbers.length / 2)
        expect(numbers.filter((number) => number > median).length).toBeLessThanOrEqual(numbers.length / 2)
      }),
    )
  })

  it('has a median between the two in the middle of an even number', () => {
    expect(combineValues([4, 1, 10, 2], 'median')).toBe(3)
    expect(combineValues([4, 1, 10], 'median')).toBe(4)
  })
})
