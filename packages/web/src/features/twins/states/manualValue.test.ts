import type { State } from '@leitstand/contract/states'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { initialText, isFaulty, toValue } from './manualValue.ts'

type Part = Pick<State, 'value' | 'valueType'>
const state = (valueType: State['valueType'], value: State['value'] = null): Part => ({ valueType, value })

test.each([
  ['number', null, ''],
  ['number', -1.5, '-1.5'],
  ['number', 0, '0'],
  ['boolean', null, 'true'],
  ['boolean', false, 'false'],
  ['text', null, ''],
  ['text', 'Grüße', 'Grüße'],
  ['json', { a: [1] }, '{\n  "a": [\n    1\n  ]\n}'],
  ['json', null, ''],
] as [State['valueType'], State['value'], string][])(
  'the field of a %s with %j starts with %j',
  (type, value, text) => {
    expect(initialText(state(type, value))).toBe(text)
  },
)

test.each([
  ['number', '', false],
  ['number', '12', false],
  ['number', '-0.5', false],
  ['number', '1e5', false],
  ['number', '-', true],
  ['number', 'x', true],
  ['number', '1e999', true],
  ['json', '', false],
  ['json', '[1]', false],
  ['json', '{', true],
  ['json', "{'a':1}", true],
  ['text', '{', false],
  ['boolean', 'true', false],
] as [State['valueType'], string, boolean][])('of a %s, %j is faulty: %s', (type, text, faulty) => {
  expect(isFaulty(state(type), text)).toBe(faulty)
})

test('a value that is not changed stays the same', () => {
  const value = fc.oneof(
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .filter((each) => !Object.is(each, -0))
      .map((each) => state('number', each)),
    fc.boolean().map((each) => state('boolean', each)),
    fc.string().map((each) => state('text', each)),
    fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.integer()).map((each) => state('json', { ...each })),
  )
  fc.assert(
    fc.property(value, (given) => {
      const text = initialText(given)
      expect(isFaulty(given, text)).toBe(false)
      expect(toValue(given, text)).toEqual(given.value)
    }),
  )
})
