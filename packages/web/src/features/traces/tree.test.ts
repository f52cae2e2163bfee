import type { TraceStep } from '@leitstand/contract/traces'
import { expect, test } from 'vitest'
import { lineOf, treeOf } from './tree.ts'

const step = (key: string, after: string | null): TraceStep => ({
  kind: 'hidden',
  key,
  after,
  at: null,
  lagMs: null,
  known: 'recorded',
  isAsked: false,
  count: 1,
})

test('steps stay in one line until they fork', () => {
  const [root, ...others] = treeOf([
    step('a', null),
    step('b', 'a'),
    step('c', 'b'),
    step('d', 'b'),
    step('e', 'd'),
  ])
  expect(others).toEqual([])
  const { line, branches } = lineOf(root as NonNullable<typeof root>)
  expect(line.map(({ key }) => key)).toEqual(['a', 'b'])
  expect(branches.map((branch) => lineOf(branch).line.map(({ key }) => key))).toEqual([['c'], ['d', 'e']])
})

test('a step after one that is missing begins a line of its own', () => {
  expect(treeOf([step('a', 'gone'), step('b', 'a')]).map(({ step: { key } }) => key)).toEqual(['a'])
})
