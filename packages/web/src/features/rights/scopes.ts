interface Scope {
  id: number
  parentId: number | null
  name: string
}

/** "City / Streets / Bridge" for each scope: the path of its visible ancestors. */
export function scopePaths(scopes: readonly Scope[]): Map<number, string> {
  const byId = new Map(scopes.map((scope) => [scope.id, scope]))
  const paths = new Map<number, string>()
  const pathOf = (scope: Scope): string => {
    const known = paths.get(scope.id)
    if (known !== undefined) return known
    const parent = scope.parentId === null ? undefined : byId.get(scope.parentId)
    const path = parent ? `${pathOf(parent)} / ${scope.name}` : scope.name
    paths.set(scope.id, path)
    return path
  }
  for (const scope of scopes) pathOf(scope)
  return paths
}

/** Scopes as choices, each labelled with its path. */
export function scopeChoices(scopes: readonly Scope[]): { value: string; label: string }[] {
  return [...scopePaths(scopes)].map(([id, label]) => ({ value: String(id), label }))
}
