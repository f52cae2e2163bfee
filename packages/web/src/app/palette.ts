import { navigation } from './nav.ts'

/** Entries whose label contains every word of the query, in any order. */
export function matching<T extends { label: string }>(entries: readonly T[], query: string): T[] {
  const words = query.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  return entries.filter(({ label }) => {
    const text = label.toLocaleLowerCase()
    return words.every((word) => text.includes(word))
  })
}

const navPaths = navigation.flatMap((group) =>
  group.items.flatMap((item) => [item.path, ...(item.children?.map((child) => child.path) ?? [])]),
)

/** Place of a screen in the palette: the order of the drawer, then all others. */
export function drawerRank(path: string): number {
  const index = navPaths.indexOf(path)
  return index < 0 ? navPaths.length : index
}
