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
