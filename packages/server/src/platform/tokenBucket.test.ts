import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fullBucket, refilled, spent, waitMs } from './tokenBucket.ts'

const rates = fc
  .record({ perSecond: fc.integer({ min: 1, max: 100_000 }), seconds: fc.integer({ min: 1, max: 10 }) })
  .map(({ perSecond, seconds }) => ({ perSecond, burst: perSecond * seconds }))
const pauses = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 200 })

test('in any stretch of time no more pass than the burst and what the rate gives', () => {
  fc.assert(
    fc.property(rates, pauses, (rate, steps) => {
      let [now, passed] = [1_000, 0]
      let bucket = fullBucket(rate, now)
      for (const step of steps) {
        now += step
        for (let tries = 0; tries < 50 && waitMs(bucket, rate, now) === 0; tries++) {
          bucket = spent(bucket, 1, rate, now)
          passed++
        }
        expect(passed).toBeLessThanOrEqual(rate.burst + ((now - 1_000) * rate.perSecond) / 1000 + 1e-6)
      }
    }),
  )
})

test('a caller may pass after the wait it was told, and no sooner', () => {
  const debts = fc.integer({ min: 0, max: 1_000_000 })
  fc.assert(
    fc.property(rates, debts, (rate, count) => {
      const bucket = spent(fullBucket(rate, 0), count, rate, 0)
      const wait = waitMs(bucket, rate, 0)
      expect(wait).toBeLessThanOrEqual(60_000 + 1_000)
      expect(refilled(bucket, rate, wait).tokens).toBeGreaterThanOrEqual(1 - 1e-6)
      if (wait > 1) expect(refilled(bucket, rate, wait - 1).tokens).toBeLessThan(1)
    }),
  )
})

test('a clock that is put back gives nothing and takes nothing', () => {
  const rate = { perSecond: 10, burst: 50 }
  const bucket = spent(fullBucket(rate, 10_000), 50, rate, 10_000)
  expect(refilled(bucket, rate, 4_000).tokens).toBe(0)
  expect(refilled(refilled(bucket, rate, 4_000), rate, 5_000).tokens).toBe(10)
})

test('a lower rate counts at once', () => {
  const bucket = fullBucket({ perSecond: 100, burst: 500 }, 0)
  expect(refilled(bucket, { perSecond: 2, burst: 10 }, 0).tokens).toBe(10)
})
