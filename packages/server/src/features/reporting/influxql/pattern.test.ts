import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fuzzing } from '../../../../test/fuzz.ts'
import { matches, readPattern } from './pattern.ts'
import { QueryError } from './syntax.ts'

it('matches as a regular expression does', () => {
  const part = fc.constantFrom('a', 'b', 'ab', '.', '.*', '.+', '\\.', '\\-', 'Ä')
  const sequence = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''))
  const alternatives = fc.array(sequence, { minLength: 1, maxLength: 3 }).map((all) => all.join('|'))
  const source = fc
    .tuple(
      fc.boolean(),
      fc.oneof(
        alternatives,
        alternatives.map((inner) => `(${inner})`),
        alternatives.map((inner) => `(?:${inner})`),
      ),
      fc.boolean(),
    )
    .map(([start, inner, end]) => `${start ? '^' : ''}${inner}${end ? '$' : ''}`)
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '.', '-', 'Ä', 'x'), maxLength: 12 })
  fc.assert(
    fc.property(source, text, fc.boolean(), (form, subject, ignoresCase) => {
      const pattern = readPattern(ignoresCase ? `(?i)${form}` : form)
      const expected = new RegExp(form.replaceAll('\\-', '-'), ignoresCase ? 'iu' : 'u').test(subject)
      expect(matches(pattern, subject)).toBe(expected)
    }),
    fuzzing(2000),
  )
})

it('lists what it matches when that is all it matches', () => {
  expect([...(readPattern('^(a|b\\.c)$').literals ?? [])]).toEqual(['a', 'b.c'])
  expect([...(readPattern('^a$').literals ?? [])]).toEqual(['a'])
  for (const open of ['a', '^a', '^(a|b.)$', '^a$|b', '(?i)^a$'])
    expect(readPattern(open).literals).toBeNull()
})

it('refuses forms that could take long, and others it does not know', () => {
  for (const unsafe of ['(a+)+', 'a*', '[a-z]', 'a{2}', '\\d', 'a(b|c)d', '(a', 'a\\', '((a))', 'a^', '$a'])
    expect(() => readPattern(unsafe), unsafe).toThrow(QueryError)
  expect(() => readPattern('a'.repeat(4001))).toThrow(/4000 characters/)
  // Each run is tried again at most for every character: this is done at once.
  expect(matches(readPattern('.*a'.repeat(100)), 'a'.repeat(99))).toBe(false)
})

it('never fails but with a reason, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'^$.*+?()|\\[]{}aB-🌡'), maxLength: 30 }), (source) => {
      try {
        matches(readPattern(source), 'aB-🌡a')
      } catch (error) {
        expect(error).toBeInstanceOf(QueryError)
      }
    }),
    fuzzing(2000),
  )
})
