import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Histogram } from './histogram.ts'

test('nothing has no percentiles', () => {
  expect(new Histogram().percentile(0.5)).toBeNull()
})

test('percentiles of a hundred values', () => {
  const histogram = new Histogram()
  for (let ms = 1; ms <= 100; ms++) histogram.add(ms)
  expect(histogram.count).toBe(100)
  expect(histogram.max).toBe(100)
  expect(histogram.percentile(0.5)).toBeCloseTo(50, -1)
  expect(histogram.percentile(0.99)).toBeGreaterThanOrEqual(99)
  expect(histogram.percentile(1)).toBe(100)
})

test('a percentile is never below the exact one and at most 1 % above it', () => {
  const durations = fc.array(fc.double({ min: 0.001, max: 100_000, noNaN: true }), {
    minLength: 1,
    maxLength: 300,
  })
  fc.assert(
    fc.property(durations, fc.constantFrom(0.5, 0.9, 0.95, 0.99, 1), (all, share) => {
      const histogram = new Histogram()
      for (const ms of all) histogram.add(ms)
      const exact = all.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(share * all.length)) - 1] as number
      const found = histogram.percentile(share) as number
      expect(found).toBeGreaterThanOrEqual(exact * (1 - 1e-9))
      expect(found).toBeLessThanOrEqual(exact * 1.01 * (1 + 1e-9))
    }),
  )
})

test('two together are as if all had been in one', () => {
  const [one, other] = [new Histogram(), new Histogram()]
  for (let ms = 1; ms <= 50; ms++) one.add(ms)
  for (let ms = 51; ms <= 100; ms++) other.add(ms)
  one.addAll(other)
  expect(one.count).toBe(100)
  expect(one.max).toBe(100)
  expect(one.percentile(0.99)).toBeGreaterThanOrEqual(99)
})

test('what is out of range is kept at its ends', () => {
  const histogram = new Histogram()
  histogram.add(0)
  histogram.add(5_000_000)
  expect(histogram.percentile(0.5)).toBeLessThanOrEqual(0.001)
  expect(histogram.max).toBe(5_000_000)
})
