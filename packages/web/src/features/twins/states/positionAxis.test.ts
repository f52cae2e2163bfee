import { expect, test } from 'vitest'
import { positionAxisOf } from './positionAxis.ts'

const state = (id: number, key: string, changes: object = {}) => {
  return { id, key, valueType: 'number' as const, positionAxis: null, ...changes }
}
const linked = state(9, 'north', { positionAxis: 'latitude' })

test.each([
  [state(1, 'latitude'), [], 'latitude'],
  [state(1, 'LON_2'), [], 'longitude'],
  [state(1, 'flat'), [], null],
  [state(1, 'lat', { valueType: 'text' }), [], null],
  [linked, [linked], 'latitude'],
  [state(1, 'lat'), [linked], null],
  [state(1, 'lon'), [linked], 'longitude'],
])('%j among %j is %s', (one, all, expected) => {
  expect(positionAxisOf(one, all)).toBe(expected)
})
