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

test.each([
  // No more names than one, values do not matter.
  ['{"a":1}', false],
  ['{"a":1,"b":2}', true],
  ['{"a":{}}', false],
  ['{"a":{"b":1}}', true],
  ['["a\\":","b:c"]', false],
  // The end of a text at the end of everything.
  ['":"', false],
  ['":', false],
])('%s, with one name at most', (json, rich) => {
  expect(isTooRich(json, { valuesMax: 100, keysMax: 1 })).toBe(rich)
})

test('values are counted however short the text is', () => {
  expect(isTooRich('[{},{}]', { valuesMax: 4, keysMax: 7 })).toBe(true)
  expect(isTooRich('[{},{}]', { valuesMax: 5, keysMax: 7 })).toBe(false)
})

test('a text full of quotes and backslashes is looked at once', () => {
  const most = { valuesMax: 10, keysMax: 10 }
  expect(isTooRich(JSON.stringify('\\'.repeat(500_000)), most)).toBe(false)
  expect(isTooRich(`"${'\\"'.repeat(500_000)}"`, most)).toBe(false)
})
