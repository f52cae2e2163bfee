import { expect, test } from 'vitest'
import { csvLine } from '../../platform/csv.ts'
import { clockIn, valueCell } from './csv.ts'

test('times are those of the account, in summer and in winter', () => {
  const clock = clockIn('Europe/Berlin')
  expect(clock(new Date('2026-07-01T22:30:05Z'))).toBe('2026-07-02 00:30:05')
  expect(clock(new Date('2026-12-01T22:30:05Z'))).toBe('2026-12-01 23:30:05')
})

test.each([
  [1793.1666666666667, 1, 'de', '1793,2'],
  [1793.1666666666667, null, 'en', '1793.166667'],
  [0.1 + 0.2, null, 'de', '"0,3"'],
  [-3.5, 2, 'de', '-3,50'],
  [21, null, 'en', '21'],
  [null, 2, 'en', ''],
  [true, 2, 'en', 'true'],
  [0.00000025, null, 'de', '2,5e-7'],
  [-0.000123456789, null, 'en', '-0.000123457'],
  ['=1+1', null, 'en', "'=1+1"],
  ['＝1+1', null, 'en', "'＝1+1"],
  ['\n=1+1', null, 'en', '"\'\n=1+1"'],
  [{ a: 1 }, null, 'de', '"{""a"":1}"'],
] as const)('%j with %s decimals in %s is %s', (value, decimals, language, expected) => {
  const separator = expected === '"0,3"' ? ',' : ';'
  expect(csvLine([valueCell(value, decimals, language)], separator)).toBe(`${expected}\r\n`)
})
