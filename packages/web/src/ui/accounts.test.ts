import { expect, test } from 'vitest'
import { accountTree } from './account-tree.ts'

test('accounts stand below their parents, by name; those with an unseen parent at the top', () => {
  const accounts = [
    { id: 3, name: 'Zoo', parentId: 1 },
    { id: 1, name: 'City', parentId: null },
    { id: 2, name: 'Baths', parentId: 1 },
    { id: 9, name: 'Alone', parentId: 77 },
  ]
  expect(accountTree(accounts).map(({ account, depth }) => [account.name, depth])).toEqual([
    ['Alone', 0],
    ['City', 0],
    ['Baths', 1],
    ['Zoo', 1],
  ])
})
