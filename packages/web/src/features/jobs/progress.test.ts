import { expect, test } from 'vitest'
import { barOf, countsOf, failuresOf, isOpen, percentOf, toneOf } from './progress.ts'

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
