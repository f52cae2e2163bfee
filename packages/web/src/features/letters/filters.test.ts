import { expect, test } from 'vitest'
import { excerpt, letterFilter, remedyFor, sinceHours } from './filters.ts'

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

test.each([
  ['PACKET_TOO_OLD', 'checkClock'],
  ['BODY_TOO_LARGE', 'sendSmaller'],
  ['ROUTING_UNMATCHED', 'setReference'],
  ['SCRIPT_', 'mendTemplate'],
  ['', 'other'],
])('%s is remedied by %s', (reason, remedy) => {
  expect(remedyFor(reason)).toBe(remedy)
})

test.each([
  ['  a\t\n b ', 'a b'],
  ['', ''],
  ['x'.repeat(160), 'x'.repeat(160)],
  ['x'.repeat(161), `${'x'.repeat(159)}…`],
])('%j on one line is %j', (body, line) => {
  expect(excerpt(body)).toBe(line)
})

test('the same filter stays the same for a minute', () => {
  const at = (second: number) =>
    letterFilter({ search: undefined, filters: { since: ['1'] } }, Date.UTC(2026, 2, 4, 12, 30, second))
  expect(at(0)).toEqual(at(59))
  expect(at(0)).not.toEqual(at(60))
  for (const hours of sinceHours)
    expect(letterFilter({ search: undefined, filters: { since: [String(hours)] } }, 0)).toHaveProperty('from')
})
