import { expect, test } from 'vitest'
import { isTooRich } from './bodySize.ts'

const few = { valuesMax: 3, keysMax: 2 }

test.each([
  ['[1,2]', false],
  ['[1,2,3]', true],
  ['[[],[]]', true],
  ['{"a":1,"b":2}', false],
  ['{"a":1,"b":{"c":2}}', true],
  ['"a,b,c,d:e:f:g[[[{{{"', false],
  ['"a\\\\\\",,,,::::"', false],
  ['["a\\\\",1,2]', true],
  ['"not closed,,,,,,,', false],
])('%s', (json, rich) => {
  expect(isTooRich(json, few)).toBe(rich)
})

test('a text full of quotes and backslashes is looked at once', () => {
  const most = { valuesMax: 10, keysMax: 10 }
  expect(isTooRich(JSON.stringify('\\'.repeat(500_000)), most)).toBe(false)
  expect(isTooRich(`"${'\\"'.repeat(500_000)}"`, most)).toBe(false)
})
