import { expect, it } from 'vitest'
import { complete } from './complete.ts'
import { readHistory, remember } from './history.ts'
import { cellText, tableText } from './text.ts'

const names = ['status', 'statements', 'queues']

it.each([
  ['q', 'queues ', []],
  ['st', 'stat', ['status', 'statements']],
  ['  stat', 'stat', ['status', 'statements']],
  ['', '', names],
  ['x', 'x', []],
  ['queues ', 'queues ', []],
])('%j is completed to %j with the choices %j', (typed, line, choices) => {
  expect(complete(typed, names)).toEqual({ line, choices })
})

it('the history has each line once, the newest last, and an end', () => {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  } as Storage
  expect(readHistory(storage)).toEqual([])
  for (const line of ['status', 'queues', 'status']) remember(storage, line)
  expect(readHistory(storage)).toEqual(['queues', 'status'])
  for (let count = 0; count < 150; count++) remember(storage, `rederive ${count}`)
  expect(readHistory(storage)).toHaveLength(100)
})

it('a table as text has aligned columns', () => {
  expect(
    tableText(
      ['queue', 'n'],
      [
        ['mails', 12],
        ['a', null],
      ],
    ),
  ).toBe('queue  n\nmails  12\na      –')
  expect(cellText(true)).toBe('✓')
})
