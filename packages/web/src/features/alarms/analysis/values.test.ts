import { expect, test } from 'vitest'
import { analysisFilter, changePercent, pointsOf } from './values.ts'

test('what is analysed comes from the address, without what is unknown', () => {
  expect(analysisFilter({}, undefined)).toEqual({ days: 30 })
  expect(
    analysisFilter({ days: ['7'], severity: ['error'], category: ['battery'], group: ['4'] }, [2]),
  ).toEqual({ days: 7, severity: 'error', categories: ['battery'], groupId: 4, accountIds: [2] })
  expect(
    analysisFilter({ days: ['8'], severity: ['x'], category: ['x'], group: ['9007199254740993'] }, undefined),
  ).toEqual({ days: 30 })
})

test('days without alarms are shown, also those with a change of the clock', () => {
  const from = new Date(2026, 2, 28).toISOString()
  const to = new Date(2026, 2, 31, 12).toISOString()
  const days = [{ day: '2026-03-29', errors: 2, warnings: 1 }]
  expect(pointsOf({ from, to, days }, 'errors')).toEqual([
    [new Date(2026, 2, 28).getTime(), 0],
    [new Date(2026, 2, 29).getTime(), 2],
    [new Date(2026, 2, 30).getTime(), 0],
    [new Date(2026, 2, 31).getTime(), 0],
  ])
})

test('what changed is said in percent, if there was something before', () => {
  expect(changePercent(15, 10)).toBe(50)
  expect(changePercent(0, 3)).toBe(-100)
  expect(changePercent(5, 0)).toBeNull()
})
