import {
  keepPreviousData,
  type QueryClient,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '../../lib/api.ts'
import { createStoredStore, useStore } from '../../lib/store.ts'
import { levelEveryMs } from './kinds.ts'
import { type Children, childrenMax, childrenPage, searchTree, treeRows } from './tree.ts'

/** Maximum expanded twins that are stored; the oldest are dropped. */
const expandedMax = 300

const expandedStore = createStoredStore<readonly number[]>('twinTree', [], (stored) =>
  Array.isArray(stored) ? stored.filter((id): id is number => typeof id === 'number') : undefined,
)

function childrenOptions(id: number) {
  return api.digitaltwin.children.queryOptions({
    input: { id, limit: childrenPage },
    refetchInterval: levelEveryMs,
  })
}

/**
 * Visible expanded twins, from the root as far as their parents are loaded; children of a collapsed twin are
 * not loaded.
 */
function unfolded(
  cache: QueryClient,
  top: readonly { id: number; childCount: number }[],
  expanded: ReadonlySet<number>,
): number[] {
  const isOpen = (twin: { id: number; childCount: number }) => twin.childCount > 0 && expanded.has(twin.id)
  const ids = new Set(top.filter(isOpen).map((twin) => twin.id))
  // Iteration of a Set includes items added during it.
  for (const id of ids) {
    const known = cache.getQueryData(childrenOptions(id).queryKey)
    for (const twin of known?.items ?? []) if (isOpen(twin)) ids.add(twin.id)
  }
  return [...ids]
}

/** The visible rows: levels load when expanded; a search returns the paths to its hits. */
export function useTree(text: string, accountIds: number[]) {
  const cache = useQueryClient()
  const stored = useStore(expandedStore)
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set())
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const term = text.trim()
  const accounts = accountIds.length > 0 ? { accountIds } : {}
  const found = useQuery({
    ...api.digitaltwin.partialTree.queryOptions({ input: { search: term, ...accounts } }),
    enabled: term !== '',
    placeholderData: keepPreviousData,
  })
  const partial = useMemo(
    () => (term && found.data ? searchTree(found.data.items) : undefined),
    [term, found.data],
  )
  const expanded = useMemo(
    () =>
      partial
        ? new Set([...partial.expanded, ...opened].filter((id) => !folded.has(id)))
        : new Set(term ? [] : stored),
    [partial, opened, folded, stored, term],
  )
  const top = useQuery({
    ...api.digitaltwin.children.queryOptions({
      input: { id: 0, limit: childrenMax, ...accounts },
      refetchInterval: levelEveryMs,
    }),
    enabled: term === '',
    placeholderData: keepPreviousData,
  })
  const wanted = term
    ? [...opened].filter((id) => partial && !partial.children.has(id))
    : unfolded(cache, top.data?.items ?? [], expanded)
  const pages = useQueries({ queries: wanted.map(childrenOptions) })
  const children = new Map<number, Children>(partial?.children)
  const failed = new Set<number>()
  if (!term && top.data) children.set(0, top.data)
  for (const [index, id] of wanted.entries()) {
    const page = pages[index]
    if (page?.data) children.set(id, page.data)
    else if (page?.isError) failed.add(id)
  }
  const hits = new Set(term ? found.data?.hitIds : [])
  const ready = term ? partial !== undefined : children.has(0)
  return {
    rows: ready ? treeRows({ children, failed, expanded, hits }) : undefined,
    error: term ? (found.data ? null : found.error) : top.data ? null : top.error,
    more: term !== '' && found.data?.more === true,
    filtered: term !== '' || accountIds.length > 0,
    retry: () => {
      void (term ? found : top).refetch()
      for (const page of pages) if (page.isError) void page.refetch()
    },
    expand: (id: number) => {
      if (!term) {
        expandedStore.set((ids) => [id, ...ids.filter((each) => each !== id)].slice(0, expandedMax))
        return
      }
      setOpened((ids) => new Set([...ids, id]))
      setFolded((ids) => new Set([...ids].filter((each) => each !== id)))
    },
    collapse: (id: number) => {
      if (term) setFolded((ids) => new Set([...ids, id]))
      else expandedStore.set((ids) => ids.filter((each) => each !== id))
    },
  }
}
