import { expect, test } from 'vitest'
import {
  accountsAbove,
  accountTree,
  choicesMax,
  findAccounts,
  openRows,
  withoutBranch,
} from './accountTree.ts'

const accounts = [
  { id: 3, name: 'Zoo', parentId: 1 },
  { id: 1, name: 'City', parentId: null },
  { id: 2, name: 'Baths', parentId: 1 },
  { id: 4, name: 'Bath 10', parentId: 2 },
  { id: 5, name: 'Bath 9', parentId: 2 },
  { id: 9, name: 'Alone', parentId: 77 },
]
const named = (rows: { account: { name: string }; depth: number }[]) =>
  rows.map(({ account, depth }) => [account.name, depth])

test('accounts stand below their parents, by name; those with an unseen parent at the top', () => {
  expect(named(accountTree(accounts))).toEqual([
    ['Alone', 0],
    ['City', 0],
    ['Baths', 1],
    ['Bath 9', 2],
    ['Bath 10', 2],
    ['Zoo', 1],
  ])
})

test('what lies below a closed account is not shown, what stands after it is', () => {
  const tree = accountTree(accounts)
  expect(named(openRows(tree, ({ account }) => account.id === 1))).toEqual([
    ...[
      ['Alone', 0],
      ['City', 0],
      ['Baths', 1],
      ['Zoo', 1],
    ],
  ])
  expect(named(openRows(tree, () => false))).toEqual([
    ['Alone', 0],
    ['City', 0],
  ])
  expect(openRows(tree, () => true)).toEqual(tree)
})

test('an account and what lies below it are left out together', () => {
  const tree = accountTree(accounts)
  expect(named(withoutBranch(tree, 2))).toEqual([
    ['Alone', 0],
    ['City', 0],
    ['Zoo', 1],
  ])
  expect(named(withoutBranch(tree, 1))).toEqual([['Alone', 0]])
  expect(withoutBranch(tree, 77)).toEqual(tree)
})

test('the accounts above one end at the one it lies in, or at the first that is not seen', () => {
  expect(accountsAbove(accounts, 5).map(({ name }) => name)).toEqual(['City', 'Baths'])
  expect(accountsAbove(accounts, 9)).toEqual([])
})

test('of many accounts the first are shown, and what is chosen', () => {
  const many = Array.from({ length: 1000 }, (_, id) => ({ id: id + 1, name: `Shop ${id}`, parentId: null }))
  const tree = accountTree(many)
  const { rows, more } = findAccounts(tree, ' sHOP ', ({ id }) => id === 1000)
  expect([rows.length, more, rows.at(-1)?.account.id]).toEqual([choicesMax + 1, 799, 1000])
  expect(named(findAccounts(tree, 'shop 99').rows).length).toBe(11)
})
