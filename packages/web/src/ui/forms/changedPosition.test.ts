import { expect, test } from 'vitest'
import { changedPosition } from './changedPosition.ts'

const position = { latitude: 51.5, longitude: 7.4 }

test('a position nobody has touched is not sent', () => {
  expect(changedPosition(position, () => false)).toEqual({})
})

test('a position is sent whole when a part of it was changed', () => {
  expect(changedPosition(position, (field) => field === 'longitude')).toEqual(position)
})
