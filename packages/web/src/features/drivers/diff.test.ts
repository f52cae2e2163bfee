import fc from 'fast-check'
import { expect, it } from 'vitest'
import { diffLines } from './diff.ts'

const text = (before: string, after: string) =>
  diffLines(before, after).map(({ left, right, same }) =>
    same ? `  ${left?.text}` : `${left ? `-${left.text}` : ''} ${right ? `+${right.text}` : ''}`.trim(),
  )

it('shows changed lines side by side', () => {
  expect(text('a\nb\nc', 'a\nx\nc')).toEqual(['  a', '-b +x', '  c'])
})

it('finds lines that were added or removed', () => {
  expect(text('a\nc', 'a\nb\nc')).toEqual(['  a', '+b', '  c'])
  expect(text('a\nb\nc\nd', 'a\nd')).toEqual(['  a', '-b', '-c', '  d'])
  expect(text('', 'a')).toEqual(['- +a'])
})

it('numbers each side for itself', () => {
  expect(diffLines('a\nb', 'x\na\nb').at(-1)).toEqual({
    left: { number: 2, text: 'b' },
    right: { number: 3, text: 'b' },
    same: true,
  })
})

it('stays quick on texts that have nothing in common', () => {
  const lines = (letter: string) => Array.from({ length: 5000 }, (_, index) => `${letter}${index}`).join('\n')
  expect(diffLines(lines('a'), lines('b'))).toHaveLength(5000)
})

it('loses no line and invents none, whatever the texts', () => {
  const lines = fc
    .array(fc.constantFrom('a', 'b', 'c', '', '  a'), { maxLength: 25 })
    .map((all) => all.join('\n'))
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const rows = diffLines(before, after)
      const side = (name: 'left' | 'right') => rows.flatMap((row) => row[name] ?? [])
      expect(
        side('left')
          .map((line) => line.text)
          .join('\n'),
      ).toBe(before)
      expect(
        side('right')
          .map((line) => line.text)
          .join('\n'),
      ).toBe(after)
      for (const name of ['left', 'right'] as const)
        expect(side(name).map((line) => line.number)).toEqual(side(name).map((_, index) => index + 1))
      for (const { left, right, same } of rows) {
        if (same) expect(left?.text).toBe(right?.text)
        else expect(left ?? right).not.toBeNull()
      }
    }),
  )
})

it('finds as many lines in common as there are', () => {
  /** Length of the longest common subsequence, by trying everything. */
  const common = (a: readonly string[], b: readonly string[]): number => {
    const [first, ...restA] = a
    if (first === undefined) return 0
    const at = b.indexOf(first)
    const without = common(restA, b)
    return at === -1 ? without : Math.max(without, 1 + common(restA, b.slice(at + 1)))
  }
  const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 7 })
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const same = diffLines(before.join('\n'), after.join('\n')).filter((row) => row.same)
      expect(same).toHaveLength(common(before, after))
    }),
  )
})

it.each([
  ['equal texts', 'a\nb', 'a\nb', ['  a', '  b']],
  ['nothing before', '', 'a\nb', ['- +a', '+b']],
  ['nothing after', 'a', '', ['-a +']],
  ['another end of the file', 'a\n', 'a', ['  a', '-']],
  ['more lines removed than added', 'a\nb\nc\nd', 'a\nx\nd', ['  a', '-b +x', '-c', '  d']],
  ['carriage returns', 'a\r\nb', 'a\nb', ['-a\r +a', '  b']],
])('%s', (_name, before, after, rows) => {
  expect(text(before, after)).toEqual(rows)
})
