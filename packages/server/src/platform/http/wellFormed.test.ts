import fc from 'fast-check'
import { expect, test } from 'vitest'
import { illFormedPath } from './wellFormed.ts'

test.each([
  ['a\u0000', []],
  [{ a: 'x', b: ['y', { c: '\ud800' }] }, ['b', 1, 'c']],
  [{ a: { 'x\udc00': 1 } }, ['a']],
  [{ a: [['', '\u0000']] }, ['a', 0, 1]],
])('a text nobody can store is found with its place', (input, path) => {
  expect(illFormedPath(input)).toEqual(path)
})

test.each([
  [undefined],
  [null],
  [12],
  ['ü🌡️\u2028'],
  [{ a: ['x', 1, null, { b: true }] }],
  [new File(['\u0000'], 'a')],
])('what is sound is let through', (input) => {
  expect(illFormedPath(input)).toBeUndefined()
})

/** JSON in which something sound is replaced by something that is not; `path` leads there. */
const spoiled = fc.letrec<{ spoiled: { value: unknown; path: (string | number)[] } }>((tie) => ({
  spoiled: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('\u0000', 'x\u0000y', '\ud800', 'x\udc00').map((value) => ({ value, path: [] })),
    fc.constantFrom('\u0000', '\ud800x').map((name) => ({ value: { [name]: 1 }, path: [] })),
    fc
      .tuple(
        fc.array(fc.jsonValue(), { maxLength: 3 }),
        tie('spoiled'),
        fc.array(fc.jsonValue(), { maxLength: 3 }),
      )
      .map(([before, { value, path }, after]) => ({
        value: [...before, value, ...after],
        path: [before.length, ...path],
      })),
    fc
      .tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), tie('spoiled'))
      .map(([others, name, { value, path }]) => ({
        value: { ...others, [name]: value },
        path: [name, ...path],
      })),
  ),
})).spoiled

test('such a text is found wherever it is', () => {
  const isFound = fc.property(spoiled, ({ value, path }) => {
    expect(illFormedPath(value)).toEqual(path)
  })
  fc.assert(isFound)
})
