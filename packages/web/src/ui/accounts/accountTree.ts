import { filterFound } from '@leitstand/contract/search'

interface Account {
  id: number
  name: string
  parentId: number | null
}

export interface TreeRow<T> {
  account: T
  depth: number
  hasChildren: boolean
}

/** Maximum accounts shown at once; with more, the user types part of the name. */
export const choicesMax = 200

const byName = new Intl.Collator(undefined, { numeric: true })

/**
 * The accounts as a tree, flattened top-down with their depth; accounts whose parent is not visible are at
 * the root.
 */
export function accountTree<T extends Account>(accounts: readonly T[]): TreeRow<T>[] {
  const known = new Set(accounts.map(({ id }) => id))
  const below = Map.groupBy(
    accounts.toSorted((a, b) => byName.compare(a.name, b.name)),
    ({ parentId }) => (parentId !== null && known.has(parentId) ? parentId : null),
  )
  const result: TreeRow<T>[] = []
  const walk = (parentId: number | null, depth: number) => {
    for (const account of below.get(parentId) ?? []) {
      result.push({ account, depth, hasChildren: below.has(account.id) })
      walk(account.id, depth + 1)
    }
  }
  walk(null, 0)
  return result
}

/** The ancestors of an account, the nearest last. */
export function accountsAbove<T extends Account>(accounts: readonly T[], id: number): T[] {
  const byId = new Map(accounts.map((account) => [account.id, account]))
  const above: T[] = []
  const parentOf = (of: T | undefined) => (of?.parentId == null ? undefined : byId.get(of.parentId))
  for (let at = parentOf(byId.get(id)); at; at = parentOf(at)) above.unshift(at)
  return above
}

/** A tree without an account and all below it, e.g. the targets it can be moved to. */
export function withoutBranch<T extends Account>(tree: readonly TreeRow<T>[], id: number): TreeRow<T>[] {
  const start = tree.findIndex(({ account }) => account.id === id)
  const top = tree[start]
  if (!top) return [...tree]
  const end = tree.findIndex(({ depth }, index) => index > start && depth <= top.depth)
  return [...tree.slice(0, start), ...(end === -1 ? [] : tree.slice(end))]
}

/** The rows of a tree without those below a collapsed row. */
export function openRows<T extends Account>(
  tree: readonly TreeRow<T>[],
  isOpen: (row: TreeRow<T>) => boolean,
): TreeRow<T>[] {
  let hiddenBelow = Number.POSITIVE_INFINITY
  return tree.filter((row) => {
    if (row.depth > hiddenBelow) return false
    hiddenBelow = row.hasChildren && !isOpen(row) ? row.depth : Number.POSITIVE_INFINITY
    return true
  })
}

/**
 * The accounts whose names a search finds (all if it is empty), and how many more there are than shown.
 * @param kept always shown, e.g. the selected ones
 */
export function findAccounts<T extends Account>(
  tree: readonly TreeRow<T>[],
  text: string,
  kept: (account: T) => boolean = () => false,
): { rows: TreeRow<T>[]; more: number } {
  const found = filterFound(tree, text, ({ account }) => [account.name])
  const rows = found.filter(({ account }, index) => index < choicesMax || kept(account))
  return { rows, more: found.length - rows.length }
}

/** An account and those below it. */
export function below(
  accounts: readonly { id: number; name: string; parentId: number | null }[],
  id: number,
): number[] {
  const found: number[] = []
  let depthOfRoot: number | null = null
  for (const { account, depth } of accountTree(accounts)) {
    if (account.id === id) depthOfRoot = depth
    else if (depthOfRoot !== null && depth <= depthOfRoot) break
    if (depthOfRoot !== null) found.push(account.id)
  }
  return found
}
