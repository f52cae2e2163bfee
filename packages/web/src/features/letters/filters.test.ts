import { expect, test } from 'vitest'
import { excerpt, letterFilter, remedyFor } from './filters.ts'

test('what narrows the list is what an action on all of it means', () => {
  const nowMs = Date.parse('2026-03-04T12:30:45Z')
  expect(letterFilter({ search: undefined, filters: {} }, nowMs)).toEqual({})
  expect(
    letterFilter(
      { search: 'ab', filters: { reason: ['DEVICE_UNKNOWN'], identifier: ['A1'], since: ['24'] } },
      nowMs,
    ),
  ).toEqual({ search: 'ab', reason: 'DEVICE_UNKNOWN', identifier: 'A1', from: '2026-03-03T12:30:00.000Z' })
  expect(letterFilter({ search: undefined, filters: { since: ['5'] } }, nowMs)).toEqual({})
})

test('a body becomes one line', () => {
  expect(excerpt('{\n  "a": 1\n}')).toBe('{ "a": 1 }')
  expect(excerpt('x'.repeat(500))).toHaveLength(160)
})

test('every reason has a remedy', () => {
  expect([remedyFor('SCRIPT_TIMEOUT'), remedyFor('DEVICE_UNKNOWN'), remedyFor('NEW_ONE')]).toEqual([
    'mendTemplate',
    'createDevice',
    'other',
  ])
})
