import { expect, test } from 'vitest'
import { tracePath } from './trace.ts'

test('the address of a trace names what it begins with', () => {
  expect(tracePath({ mail: 7 })).toBe('/trace?mail=7')
  expect(tracePath({ state: 3, at: '2026-11-20T08:15:00.000Z' })).toBe(
    '/trace?state=3&at=2026-11-20T08%3A15%3A00.000Z',
  )
})
