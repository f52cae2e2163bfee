import type { TwinSummary } from '@leitstand/contract/twins'
import type { QueryClient } from '@tanstack/react-query'
import { beforeEach, describe, expect, test } from 'vitest'
import { openBrowser } from '../../../test/browser.ts'
import { renderHook } from '../../../test/renderHook.ts'
import { twin } from '../../../test/twins.ts'

const browser = openBrowser()
const { api } = await import('../../lib/api.ts')
const { childrenMax, childrenPage } = await import('./tree.ts')
const { useTree } = await import('./useTree.ts')

function fillChildren(cache: QueryClient, id: number, items: TwinSummary[], accountIds?: number[]) {
  const input = {
    id,
    limit: id === 0 ? childrenMax : childrenPage,
    ...(accountIds ? { accountIds } : {}),
  }
  const { queryKey } = api.digitaltwin.children.queryOptions({ input })
  cache.setQueryData(queryKey, { items, total: items.length } as never)
}

function fillSearch(
  cache: QueryClient,
  search: string,
  items: TwinSummary[],
  hitIds: number[],
  more: boolean,
) {
  const { queryKey } = api.digitaltwin.partialTree.queryOptions({ input: { search } })
  cache.setQueryData(queryKey, { items, hitIds, more } as never)
}

const outline = ({ rows }: ReturnType<typeof useTree>) =>
  rows?.map((row) =>
    row.kind === 'twin' ? `${'-'.repeat(row.level)}${row.twin.id}${row.hit ? '*' : ''}` : row.kind,
  )

/** The store of expanded twins outlives a rendering. */
beforeEach(() => {
  const { collapse } = renderHook(() => useTree('', []))
  for (const id of [1, 2, 3]) collapse(id)
})

describe('without a search', () => {
  const levels = (cache: QueryClient) => {
    fillChildren(cache, 0, [twin(1, null, 1), twin(9, null)])
    fillChildren(cache, 1, [twin(2, 1, 1)])
  }

  test('there are no rows until the root has loaded', () => {
    const tree = renderHook(() => useTree('', []))
    expect(tree.rows).toBeUndefined()
    expect(tree.error).toBeNull()
  })

  test('a twin shows its children once expanded, and no longer once collapsed', () => {
    const closed = renderHook(() => useTree('', []), levels)
    expect(outline(closed)).toEqual(['-1', '-9'])
    closed.expand(1)
    expect(outline(renderHook(() => useTree('', []), levels))).toEqual(['-1', '--2', '-9'])
    closed.expand(2)
    expect(outline(renderHook(() => useTree('', []), levels))).toEqual(['-1', '--2', 'loading', '-9'])
    closed.collapse(1)
    expect(outline(renderHook(() => useTree('', []), levels))).toEqual(['-1', '-9'])
  })

  test('expanding a twin twice stores it once', () => {
    const { expand } = renderHook(() => useTree('', []))
    for (const id of [1, 2, 1]) expand(id)
    expect([...browser.local.kept.values()].map((text) => JSON.parse(text))).toContainEqual([1, 2])
  })

  test('accounts filter the root', () => {
    const tree = renderHook(
      () => useTree('', [4]),
      (cache) => fillChildren(cache, 0, [twin(9, null)], [4]),
    )
    expect(outline(tree)).toEqual(['-9'])
    expect(tree.filtered).toBe(true)
  })
})

test('a search opens the paths to its hits and ignores blanks around the text', () => {
  const tree = renderHook(
    () => useTree('  pump ', []),
    (cache) => fillSearch(cache, 'pump', [twin(1, null, 1), twin(2, 1)], [2], true),
  )
  expect(outline(tree)).toEqual(['-1', '--2*'])
  expect(tree.more).toBe(true)
  expect(tree.filtered).toBe(true)
})
