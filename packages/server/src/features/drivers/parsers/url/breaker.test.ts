import { expect, test } from 'vitest'
import { afterCall, type BreakerState, closedBreaker, mayCall } from './breaker.ts'

const failing = (times: number, nowMs = 0) => {
  let state: BreakerState = closedBreaker
  for (let call = 0; call < times; call++) state = afterCall(state, false, nowMs)
  return state
}

test('a parser rests after three failures in a row, each time longer, and at most five minutes', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 99].map((times) => failing(times).restsUntilMs)).toEqual([
    ...[null, null, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000],
  ])
  expect(afterCall(failing(9), true, 0)).toEqual(closedBreaker)
})

test('after its rest it is asked once at a time', () => {
  const state = failing(3, 1000)
  expect([mayCall(state, 0, 30_999), mayCall(state, 0, 31_000), mayCall(state, 1, 31_000)]).toEqual([
    ...[false, true, false],
  ])
  expect(mayCall(failing(2), 4, 0)).toBe(true)
})
