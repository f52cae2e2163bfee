import { expect, test } from 'vitest'
import { limitOf } from './limits.ts'

const line = (...own: (number | null)[]) => own.map((each, index) => ({ own: each, name: `up ${index}` }))

test.each([
  ['nobody has one', line(null, null), { own: null, value: null, from: null }],
  ['its own', line(5, null), { own: 5, value: 5, from: null }],
  ['its own below that of its parent', line(5, 10), { own: 5, value: 5, from: null }],
  ['that of its parent', line(null, 10, 20), { own: null, value: 10, from: { name: 'up 1' } }],
  ['that of the topmost account', line(null, null, 7), { own: null, value: 7, from: { name: 'up 2' } }],
  ['nobody lifts what is bounded above', line(100, 10), { own: 100, value: 10, from: { name: 'up 1' } }],
  ['the lower one further up', line(null, 10, 3), { own: null, value: 3, from: { name: 'up 2' } }],
  ['the nearer of two alike', line(10, 10), { own: 10, value: 10, from: null }],
  ['none at all', line(0, 10), { own: 0, value: 0, from: null }],
])('the limit that holds: %s', (_name, way, limit) => {
  expect(limitOf(way)).toEqual(limit)
})
