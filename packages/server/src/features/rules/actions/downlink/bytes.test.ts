import { expect, test } from 'vitest'
import { bytesOf } from './bytes.ts'

test.each([
  ['01ff', '01ff'],
  ['01 FF\n', '01ff'],
  ['0', null],
  ['0g', null],
  ['', null],
  ['00'.repeat(242), '00'.repeat(242)],
  ['00'.repeat(243), null],
  [[1, 255, 0], '01ff00'],
  [[], null],
  [[256], null],
  [[-1], null],
  [[1.5], null],
  [['1'], null],
  [Array.from({ length: 242 }, () => 7), '07'.repeat(242)],
  [Array.from({ length: 243 }, () => 7), null],
  [null, null],
  [5, null],
  [{ bytes: [1] }, null],
])('%j is %j', (value, hex) => {
  expect(bytesOf(value)).toBe(hex)
})
