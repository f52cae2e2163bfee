import { expect, it } from 'vitest'
import { periodStart } from './monitorInput.ts'

const now = Date.parse('2026-03-04T12:34:56.789Z')

it.each([
  [undefined, undefined],
  ['5', undefined],
  ['1', '2026-03-04T11:34:00.000Z'],
  ['24', '2026-03-03T12:34:00.000Z'],
  ['720', '2026-02-02T12:34:00.000Z'],
])('the last %s hours begin at %s', (hours, start) => {
  expect(periodStart(hours, now)).toBe(start)
  expect(periodStart(hours, now + 3000)).toBe(start)
})
