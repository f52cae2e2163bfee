import { expect, test } from 'vitest'
import { cell, rounded, table } from './table.ts'

test('columns are as wide as their widest cell', () => {
  expect(
    table([
      ['phase', 'uplinks/s'],
      ['mqtt, closed', '9 000'],
      ['http', '12'],
    ]),
  ).toEqual([
    'phase         uplinks/s',
    '------------  ---------',
    'mqtt, closed      9 000',
    'http                 12',
  ])
  expect(table([])).toEqual([])
})

test.each([
  [null, '–'],
  ['text', 'text'],
  [0, '0'],
  [1.234, '1.23'],
  [12.34, '12.3'],
  [123.4, '123'],
  [1_234_567, '1 234 567'],
  [12345.6, '12 346'],
  [-1234, '-1 234'],
])('%j reads %s', (figure, text) => {
  expect(cell(figure)).toBe(text)
})

test('figures for machines have three places', () => {
  expect(rounded(1.23456)).toBe(1.235)
  expect(rounded(null)).toBeNull()
})
