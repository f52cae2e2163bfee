import { jobKinds, jobTypes } from '@leitstand/contract/jobs/kinds'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  barOf,
  countsOf,
  failedOf,
  failuresOf,
  hasRows,
  isOpen,
  percentOf,
  resumption,
  toneOf,
} from './progress.ts'

test('a job is at 100 % when it is done, and not before', () => {
  expect(percentOf({ state: 'inprogress', done: 1000, total: 1000 })).toBe(99)
  expect(percentOf({ state: 'inprogress', done: 1, total: 3 })).toBe(33)
  expect(percentOf({ state: 'created', done: 0, total: 0 })).toBe(0)
  expect(percentOf({ state: 'done', done: 0, total: 0 })).toBe(100)
  expect([isOpen({ state: 'created' }), isOpen({ state: 'failed' })]).toEqual([true, false])
})

test('counts are told in a fixed order, failures by how many there are', () => {
  const result = { failed: 3, stored: 2, 'failed:DEVICE_UNKNOWN': 1, 'failed:SCRIPT_ERROR': 2, dropped: 0 }
  expect(countsOf({ type: 'dead-letters-replay', result })).toEqual([
    { key: 'stored', count: 2 },
    { key: 'failed', count: 3 },
  ])
  expect(failuresOf({ result })).toEqual([
    { code: 'SCRIPT_ERROR', count: 2 },
    { code: 'DEVICE_UNKNOWN', count: 1 },
  ])
})

test('a job with failures does not look as if all were well, few as they may be', () => {
  const job = { state: 'done' as const, done: 1000, total: 1000 }
  expect(toneOf({ ...job, result: { done: 1000 } })).toBe('ok')
  expect(toneOf({ ...job, result: { done: 999, failed: 1 } })).toBe('warning')
  expect(barOf({ ...job, result: { failed: 1 } })).toMatchObject({ done: 98, failed: 2 })
  expect(barOf({ ...job, result: { failed: 1000 } })).toMatchObject({ done: 0, failed: 100 })
  expect(barOf({ ...job, state: 'inprogress', done: 0, result: {} })).toMatchObject({ done: 0, failed: 0 })
})

const states = ['created', 'inprogress', 'postprocessing', 'deleted', 'done', 'canceled', 'failed'] as const

describe('any job', () => {
  const anyJob = fc
    .record({
      state: fc.constantFrom(...states),
      total: fc.nat({ max: 5000 }),
      share: fc.nat({ max: 100 }),
      failed: fc.nat({ max: 100 }),
    })
    .map(({ state, total, share, failed }) => {
      const done = Math.floor((total * share) / 100)
      return { state, total, done, result: { failed: Math.floor((done * failed) / 100) } }
    })

  test('has a bar that is never longer than its progress', () => {
    fc.assert(
      fc.property(anyJob, (job) => {
        const { done, failed } = barOf(job)
        expect(done).toBeGreaterThanOrEqual(0)
        expect(failed).toBeGreaterThanOrEqual(0)
        expect(done + failed).toBeCloseTo(percentOf(job), 6)
        expect(percentOf(job)).toBeLessThanOrEqual(job.state === 'done' || job.state === 'deleted' ? 100 : 99)
      }),
    )
  })

  test('shows failures as soon as there is progress', () => {
    fc.assert(
      fc.property(anyJob, (job) => {
        fc.pre(failedOf(job) > 0 && percentOf(job) > 0)
        expect(barOf(job).failed).toBeGreaterThan(0)
      }),
    )
  })

  test('can be resumed only when it is over', () => {
    fc.assert(
      fc.property(anyJob, (job) => {
        if (isOpen(job)) expect(resumption(job)).toBeNull()
        if (job.state === 'canceled' || job.state === 'failed') expect(resumption(job)).toBe('goOn')
        if (job.state === 'done') expect(resumption(job)).toBe(failedOf(job) > 0 ? 'retryFailed' : null)
      }),
    )
  })
})

test.each([
  ['created', 'unknown'],
  ['inprogress', 'accent'],
  ['postprocessing', 'accent'],
  ['deleted', 'unknown'],
  ['done', 'ok'],
  ['canceled', 'warning'],
  ['failed', 'error'],
] as const)('a job that is %s is shown as %s', (state, tone) => {
  expect(toneOf({ state, result: {} })).toBe(tone)
})

test('more done than expected is still not everything', () => {
  expect(percentOf({ state: 'inprogress', done: 20, total: 10 })).toBe(99)
  expect(percentOf({ state: 'canceled', done: 5, total: 10 })).toBe(50)
})

test.each(jobTypes)('counts of %s are shown in the order of its results, without zeros', (type) => {
  const results = jobKinds[type].results
  const result = Object.fromEntries([...results.map((key, index) => [key, index]), ['other', 9]])
  expect(countsOf({ type, result })).toEqual(
    results.flatMap((key, index) => (index === 0 ? [] : [{ key, count: index }])),
  )
  expect(hasRows({ type })).toBe(jobKinds[type].hasRows)
})

test('there are no reasons without failures', () => {
  expect(failuresOf({ result: {} })).toEqual([])
  expect(failuresOf({ result: { failed: 3 } })).toEqual([])
  expect(failuresOf({ result: { 'failed:': 1 } })).toEqual([{ code: '', count: 1 }])
})
