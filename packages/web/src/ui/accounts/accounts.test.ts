import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  accountsAbove,
  accountTree,
  below,
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
  expect(named(findAccounts(tree, 'shop 99').rows).length).toBe(19)
})

describe('any accounts', () => {
  /** Accounts of which each lies below an earlier one, is a root, or has a parent that is not visible. */
  const anyAccounts = fc
    .array(fc.tuple(fc.string({ maxLength: 5 }), fc.integer({ min: -2, max: 40 })), { maxLength: 40 })
    .map((entries) =>
      entries.map(([name, parent], index) => ({
        id: index + 1,
        name,
        parentId: parent < 0 ? null : parent < index ? parent + 1 : 1000 + parent,
      })),
    )

  test('each is shown once, directly below its parent or a sibling', () => {
    fc.assert(
      fc.property(anyAccounts, (given) => {
        const tree = accountTree(given)
        expect(tree.map(({ account }) => account.id).toSorted((a, b) => a - b)).toEqual(
          given.map(({ id }) => id),
        )
        const path: number[] = []
        for (const { account, depth, hasChildren } of tree) {
          expect(depth).toBeLessThanOrEqual(path.length)
          path.length = depth
          const parent = given.some(({ id }) => id === account.parentId) ? account.parentId : undefined
          expect(path.at(-1)).toBe(parent ?? undefined)
          expect(hasChildren).toBe(given.some(({ parentId }) => parentId === account.id))
          path.push(account.id)
        }
      }),
    )
  })

  test('without a branch, exactly the account and everything below it are gone', () => {
    fc.assert(
      fc.property(anyAccounts, fc.nat(), (given, pick) => {
        fc.pre(given.length > 0)
        const id = given[pick % given.length]?.id ?? 0
        const isGone = (each: (typeof given)[number]) =>
          each.id === id || accountsAbove(given, each.id).some((above) => above.id === id)
        const left = withoutBranch(accountTree(given), id).map(({ account }) => account.id)
        expect(new Set(left)).toEqual(new Set(given.filter((each) => !isGone(each)).map((each) => each.id)))
      }),
    )
  })

  test('a row is visible exactly if everything above it is open', () => {
    fc.assert(
      fc.property(anyAccounts, fc.func(fc.boolean()), (given, open) => {
        const tree = accountTree(given)
        const isOpen = (id: number) => open(id)
        const shown = openRows(tree, ({ account }) => isOpen(account.id)).map(({ account }) => account.id)
        const expected = tree.filter(({ account }) =>
          accountsAbove(given, account.id).every(({ id }) => isOpen(id)),
        )
        expect(shown).toEqual(expected.map(({ account }) => account.id))
      }),
    )
  })
})

describe('finding accounts', () => {
  const tree = accountTree([
    { id: 1, name: 'Stadt Köln', parentId: null },
    { id: 2, name: 'Straßen', parentId: 1 },
    { id: 3, name: 'Bäder', parentId: 1 },
  ])
  test.each([
    ['', ['Stadt Köln', 'Bäder', 'Straßen']],
    ['  ', ['Stadt Köln', 'Bäder', 'Straßen']],
    ['KÖLN', ['Stadt Köln']],
    ['st', ['Stadt Köln', 'Straßen']],
    ['ß', ['Straßen']],
    ['.*', []],
    ['nirgends', []],
  ])('%j', (text, names) => {
    const { rows, more } = findAccounts(tree, text)
    expect(rows.map(({ account }) => account.name)).toEqual(names)
    expect(more).toBe(0)
  })

  test('numbers in names count as numbers', () => {
    const halls = ['Halle 10', 'Halle 9', 'halle 1'].map((name, id) => ({ id, name, parentId: null }))
    expect(accountTree(halls).map(({ account }) => account.name)).toEqual(['halle 1', 'Halle 9', 'Halle 10'])
  })
})

describe('an account and those below it', () => {
  const tree = [
    { id: 1, name: 'Stadt', parentId: null },
    { id: 2, name: 'Bäder', parentId: 1 },
    { id: 3, name: 'Freibad', parentId: 2 },
    { id: 4, name: 'Wasser', parentId: 1 },
    { id: 9, name: 'Andere', parentId: 99 },
  ]

  test.each([
    [1, [1, 2, 3, 4]],
    [2, [2, 3]],
    [3, [3]],
    [9, [9]],
    [99, []],
    [Number.NaN, []],
  ])('of %d are %j', (id, ids) => {
    expect(below(tree, id)).toEqual(ids)
  })
})
