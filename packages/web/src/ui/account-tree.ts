interface Account {
  id: number
  name: string
  parentId: number | null
}

/** The accounts as a tree, flattened top-down with their depth; accounts whose parent is not seen stand at the top. */
export function accountTree<T extends Account>(accounts: readonly T[]): { account: T; depth: number }[] {
  const known = new Set(accounts.map((account) => account.id))
  const result: { account: T; depth: number }[] = []
  const walk = (parentId: number | null, depth: number) => {
    const children = accounts
      .filter(
        (account) =>
          (account.parentId !== null && known.has(account.parentId) ? account.parentId : null) === parentId,
      )
      .sort((a, b) => a.name.localeCompare(b.name))
    for (const account of children) {
      result.push({ account, depth })
      walk(account.id, depth + 1)
    }
  }
  walk(null, 0)
  return result
}
