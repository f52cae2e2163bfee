import { expect, test } from 'vitest'
import { join } from './positions.ts'

const axes = new Map([
  [1, 'latitude'],
  [2, 'longitude'],
] as const)
const [lat, lon] = [1, 2]
const at = (minute: number) => new Date(Date.UTC(2026, 5, 15, 12, minute))
const reading = (minute: number, stateId: number, value: number) => ({ time: at(minute), stateId, value })
const place = (minute: number, latitude: number, longitude: number, until = minute) => ({
  time: at(minute),
  until: at(until),
  latitude,
  longitude,
})

test('degrees of one moment are one place', () => {
  const readings = [reading(1, lat, 51), reading(1, lon, 7), reading(2, lat, 52), reading(2, lon, 8)]
  expect(join([], readings, axes)).toEqual([place(1, 51, 7), place(2, 52, 8)])
})

test('one degree alone moves what is known, also from before the period', () => {
  expect(join([reading(0, lon, 7)], [reading(1, lat, 51)], axes)).toEqual([place(1, 51, 7)])
})

test('nothing is known before both degrees are', () => {
  expect(join([], [reading(1, lat, 51), reading(2, lon, 7)], axes)).toEqual([place(2, 51, 7)])
})

test('what was known before the period gives no place by itself', () => {
  expect(join([reading(0, lat, 51), reading(0, lon, 7)], [], axes)).toEqual([])
})

test('a place reported again is one stay', () => {
  const readings = [1, 2, 3].flatMap((minute) => [reading(minute, lat, 51), reading(minute, lon, 7)])
  expect(join([], readings, axes)).toEqual([place(1, 51, 7, 3)])
})

test('numbers that are no degrees are passed over', () => {
  const readings = [reading(1, lat, 51), reading(1, lon, 7), reading(2, lat, 655), reading(2, lon, 8)]
  expect(join([], readings, axes)).toEqual([place(1, 51, 7), place(2, 51, 8)])
})
