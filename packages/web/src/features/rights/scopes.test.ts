import { expect, test } from 'vitest'
import { scopePaths } from './scopes.ts'

test('a scope is named with all that is seen above it, in whatever order they come', () => {
  const scopes = [
    { id: 3, parentId: 2, name: 'Bridge' },
    { id: 2, parentId: 1, name: 'Streets' },
    { id: 1, parentId: null, name: 'City' },
    { id: 8, parentId: 7, name: 'Alone' },
  ]
  const paths = scopePaths(scopes)
  expect(scopes.map(({ id }) => paths.get(id))).toEqual([
    ...['City / Streets / Bridge', 'City / Streets', 'City', 'Alone'],
  ])
})

test('scopes without a name and many levels have their path', () => {
  const deep = Array.from({ length: 500 }, (_, index) => ({
    id: index + 1,
    parentId: index === 0 ? null : index,
    name: String(index),
  }))
  const paths = scopePaths(deep.toReversed())
  expect(paths.size).toBe(500)
  expect(paths.get(3)).toBe('0 / 1 / 2')
  expect(paths.get(500)?.split(' / ')).toHaveLength(500)
  expect(scopePaths([])).toEqual(new Map())
})

test.each([
  ['a parent that is not visible', [{ id: 2, parentId: 1, name: 'Bäder' }], 'Bäder'],
  ['a name with a slash', [{ id: 2, parentId: null, name: 'Nord / Süd' }], 'Nord / Süd'],
  ['a name of markup', [{ id: 2, parentId: null, name: '<b>' }], '<b>'],
  ['an empty name', [{ id: 2, parentId: null, name: '' }], ''],
])('%s', (_name, scopes, path) => {
  expect(scopePaths(scopes).get(2)).toBe(path)
})
