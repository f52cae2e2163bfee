import { Text } from '@codemirror/state'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diagnosticOf } from './diagnostic.ts'

const doc = Text.of(['const a = 1', '', 'return a +'])

test.each([
  ['a whole line', { line: 1, message: 'x' }, [0, 11]],
  ['from a column on', { line: 1, column: 7, message: 'x' }, [6, 11]],
  ['an empty line', { line: 2, message: 'x' }, [12, 12]],
  ['the last line', { line: 3, column: 10, message: 'x' }, [22, 23]],
  ['a line beyond the end', { line: 99, message: 'x' }, [13, 23]],
  ['a line before the beginning', { line: 0, message: 'x' }, [0, 11]],
  ['a column beyond its line', { line: 1, column: 99, message: 'x' }, [11, 11]],
  ['a column before it', { line: 1, column: -5, message: 'x' }, [0, 11]],
])('%s', (_name, marker, [from, to]) => {
  expect(diagnosticOf(doc, marker)).toMatchObject({ from, to, message: 'x', severity: 'error' })
})

test('a warning stays one', () => {
  expect(diagnosticOf(doc, { line: 1, message: 'x', severity: 'warning' }).severity).toBe('warning')
})

test('is within the text, wherever a script says its error is', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme-ascii' }), { minLength: 1 }),
      fc.integer(),
      fc.integer(),
      (lines, line, column) => {
        const text = Text.of(lines)
        const { from, to } = diagnosticOf(text, { line, column, message: '' })
        expect(from).toBeGreaterThanOrEqual(0)
        expect(to).toBeGreaterThanOrEqual(from)
        expect(to).toBeLessThanOrEqual(text.length)
      },
    ),
  )
})
