import { expect, test } from 'vitest'
import { joined } from './waiting.ts'

test('a state waits once, for the whole time in which its sources were corrected', () => {
  const first = joined([], [{ stateId: 1, start: new Date(10), end: new Date(20) }])
  expect(first).toEqual([{ stateId: 1, startMs: 10, endMs: 20 }])
  expect(
    joined(first, [
      { stateId: 1, start: new Date(5), end: new Date(15) },
      { stateId: 2, start: new Date(7), end: new Date(8) },
      { stateId: 1, start: new Date(12), end: new Date(30) },
    ]),
  ).toEqual([
    { stateId: 1, startMs: 5, endMs: 30 },
    { stateId: 2, startMs: 7, endMs: 8 },
  ])
})
