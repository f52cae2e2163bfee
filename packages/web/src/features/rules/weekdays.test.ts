import { expect, it } from 'vitest'
import { toggled, weekdayName, weekdaysText } from './weekdays.ts'

it('adds and removes weekdays in their order', () => {
  expect(toggled([1, 3], 2)).toEqual([1, 2, 3])
  expect(toggled([1, 2, 3], 2)).toEqual([1, 3])
})

it('names weekdays in both languages', () => {
  expect(weekdayName(1, 'de', 'long')).toBe('Montag')
  expect(weekdayName(7, 'en', 'long')).toBe('Sunday')
  expect(weekdayName(1, 'en', 'short')).toBe('Mon')
})

it.each([
  [[1, 2, 3, 4, 5], 'Mon–Fri'],
  [[5, 6, 7, 1], 'Mon, Fri–Sun'],
  [[6, 7], 'Sat, Sun'],
  [[3], 'Wed'],
  [[], ''],
])('shortens %j to %s', (days, expected) => {
  expect(weekdaysText(days, 'en-GB')).toBe(expected)
})
