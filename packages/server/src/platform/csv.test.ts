import { expect, test } from 'vitest'
import { csvLine } from './csv.ts'

test('a line quotes what needs quotes and keeps formulas from running', () => {
  expect(csvLine(['a', 1.5, null, 'b,c', 'say "x"', 'two\nlines'], ',')).toBe(
    'a,1.5,,"b,c","say ""x""","two\nlines"\r\n',
  )
  expect(csvLine(['a;b', 'c,d'], ';')).toBe('"a;b";c,d\r\n')
  for (const evil of ['=1+1', '+1', '-1', '@x', '\t=1', '\r=1']) expect(csvLine([evil], ';')).toMatch(/^"?'/)
  expect(csvLine([-1], ';')).toBe('-1\r\n')
})
