import type { TwinSummary } from '@leitstand/contract/twins'

/** Page size when loading a twin's children; beyond `childrenMax` the flat list is the better tool. */
export const childrenPage = 200
export const childrenMax = 1000

/** Loaded children of one twin (0: the root). */
export interface Children {
  items: readonly TwinSummary[]
  total: number
}

/** A visible row of the tree. */
export type TreeRow =
  | {
      kind: 'twin'
      key: string
      twin: TwinSummary
      /** 1 at the root, like `aria-level` */
      level: number
      position: number
      siblings: number
      expandable: boolean
      expanded: boolean
      hit: boolean
    }
  | { kind: 'loading'; key: string; level: number }
  | { kind: 'failed'; key: string; level: number; parentId: number }
  | { kind: 'more'; key: string; level: number; parentId: number; shown: number; total: number }

export interface TreeState {
  /** children by parent id; absent while loading */
  children: ReadonlyMap<number, Children>
  failed: ReadonlySet<number>
  expanded: ReadonlySet<number>
  hits: ReadonlySet<number>
}

/** The visible rows of the tree, top-down. */
export function treeRows({ children, failed, expanded, hits }: TreeState): TreeRow[] {
  const rows: TreeRow[] = []
  const walk = (parentId: number, level: number, seen: ReadonlySet<number>): void => {
    const known = children.get(parentId)
    if (!known) {
      const kind = failed.has(parentId) ? 'failed' : 'loading'
      rows.push({ kind, key: `${kind}-${parentId}`, level, parentId })
      return
    }
    for (const [index, twin] of known.items.entries()) {
      const expandable = twin.childCount > 0 && !seen.has(twin.id)
      const isOpen = expandable && expanded.has(twin.id)
      rows.push({
        kind: 'twin',
        key: `twin-${twin.id}`,
        twin,
        level,
        position: index + 1,
        siblings: known.total,
        expandable,
        expanded: isOpen,
        hit: hits.has(twin.id),
      })
      if (isOpen) walk(twin.id, level + 1, new Set([...seen, twin.id]))
    }
    if (known.total > known.items.length) {
      const more = { parentId, shown: known.items.length, total: known.total }
      rows.push({ kind: 'more', key: `more-${parentId}`, level, ...more })
    }
  }
  walk(0, 1, new Set())
  return rows
}

/**
 * Search results as children by parent: ancestors of hits lead to them; a twin whose parent is not visible is
 * at the root. A hit without listed children can still load them.
 * @returns also the twins to expand: all that lead to a hit
 */
export function searchTree(items: readonly TwinSummary[]): {
  children: Map<number, Children>
  expanded: Set<number>
} {
  const ids = new Set(items.map((twin) => twin.id))
  const groups = Map.groupBy(items, (twin) =>
    twin.parentId !== null && ids.has(twin.parentId) ? twin.parentId : 0,
  )
  const children = new Map<number, Children>([[0, { items: [], total: 0 }]])
  for (const [parentId, twins] of groups) {
    const sorted = [...twins].sort((a, b) => a.title.localeCompare(b.title, undefined, { numeric: true }))
    children.set(parentId, { items: sorted, total: sorted.length })
  }
  return { children, expanded: new Set([...groups.keys()].filter((id) => id !== 0)) }
}

/** Effect of a key on a row; null: none. */
export type TreeMove =
  | { kind: 'focus'; key: string }
  | { kind: 'expand'; id: number }
  | { kind: 'collapse'; id: number }
  | null

/** Keys of the tree pattern (WAI-ARIA): arrows, Home and End. */
export function treeMove(rows: readonly TreeRow[], currentKey: string, key: string): TreeMove {
  const twins = rows.filter((row) => row.kind === 'twin')
  const index = twins.findIndex((row) => row.key === currentKey)
  const current = twins[index]
  if (!current) return null
  const to = (row: (typeof twins)[number] | undefined): TreeMove =>
    row && row !== current ? { kind: 'focus', key: row.key } : null
  switch (key) {
    case 'ArrowDown':
      return to(twins[index + 1])
    case 'ArrowUp':
      return to(twins[index - 1])
    case 'Home':
      return to(twins[0])
    case 'End':
      return to(twins.at(-1))
    case 'ArrowRight':
      if (!current.expandable) return null
      if (!current.expanded) return { kind: 'expand', id: current.twin.id }
      return to(twins[index + 1])
    case 'ArrowLeft':
      if (current.expanded) return { kind: 'collapse', id: current.twin.id }
      return to(twins.slice(0, index).findLast((row) => row.level === current.level - 1))
    default:
      return null
  }
}
