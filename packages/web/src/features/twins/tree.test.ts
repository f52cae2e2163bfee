import type { TwinSummary } from '@leitstand/contract/twins'
import { describe, expect, it } from 'vitest'
import { searchTree, type TreeState, treeMove, treeRows } from './tree.ts'

function twin(id: number, parentId: number | null, childCount = 0, title = `Twin ${id}`): TwinSummary {
  return {
    id,
    title,
    parentId,
    childCount,
    type: 'default',
    icon: null,
    accountId: 1,
    accountName: 'A',
    scopeId: 1,
    parentTitle: null,
    tags: [],
    zones: [],
    latitude: null,
    longitude: null,
    disabled: false,
    stateCount: 0,
    updatedAt: '2026-11-20T08:00:00.000Z',
  }
}

const page = (...items: TwinSummary[]) => ({ items, total: items.length })

function state(change: Partial<TreeState>): TreeState {
  return { children: new Map(), failed: new Set(), expanded: new Set(), hits: new Set(), ...change }
}

const outline = (rows: ReturnType<typeof treeRows>) =>
  rows.map((row) => `${'-'.repeat(row.level)}${row.kind === 'twin' ? row.twin.id : row.kind}`)

describe('treeRows', () => {
  const children = new Map([
    [0, page(twin(1, null, 2), twin(9, null))],
    [1, page(twin(2, 1, 1), twin(3, 1))],
  ])

  it('shows what is unfolded, and that children are on their way', () => {
    expect(outline(treeRows(state({ children })))).toEqual(['-1', '-9'])
    expect(outline(treeRows(state({ children, expanded: new Set([1, 2]) })))).toEqual([
      '-1',
      '--2',
      '---loading',
      '--3',
      '-9',
    ])
  })

  it('says where loading failed and where more waits', () => {
    const cut = new Map([[0, { items: [twin(1, null, 1)], total: 5000 }]])
    expect(outline(treeRows(state({ children: cut, expanded: new Set([1]), failed: new Set([1]) })))).toEqual(
      ['-1', '--failed', '-more'],
    )
  })

  it('does not walk in circles', () => {
    const circle = new Map([
      [0, page(twin(1, null, 1))],
      [1, page(twin(2, 1, 1))],
      [2, page(twin(1, 2, 1))],
    ])
    expect(outline(treeRows(state({ children: circle, expanded: new Set([1, 2]) })))).toEqual([
      '-1',
      '--2',
      '---1',
    ])
  })
})

describe('searchTree', () => {
  it('hangs hits below their ancestors and orphans at the top, in natural order', () => {
    const found = searchTree([
      twin(3, 2, 0, 'Raum 10'),
      twin(4, 2, 0, 'Raum 9'),
      twin(2, 1, 2, 'Etage'),
      twin(1, 77, 1, 'Haus'),
    ])
    const rows = treeRows(state({ ...found, hits: new Set([3, 4]) }))
    expect(outline(rows)).toEqual(['-1', '--2', '---4', '---3'])
    expect(rows.filter((row) => row.kind === 'twin' && row.hit)).toHaveLength(2)
  })

  it('finds nothing', () => {
    expect(treeRows(state(searchTree([])))).toEqual([])
  })
})

describe('treeMove', () => {
  const children = new Map([
    [0, page(twin(1, null, 2), twin(9, null))],
    [1, page(twin(2, 1), twin(3, 1))],
  ])
  const open = treeRows(state({ children, expanded: new Set([1]) }))
  const closed = treeRows(state({ children }))

  it.each([
    [open, 'twin-1', 'ArrowDown', { kind: 'focus', key: 'twin-2' }],
    [open, 'twin-9', 'ArrowUp', { kind: 'focus', key: 'twin-3' }],
    [open, 'twin-9', 'ArrowDown', null],
    [open, 'twin-3', 'ArrowLeft', { kind: 'focus', key: 'twin-1' }],
    [open, 'twin-1', 'ArrowLeft', { kind: 'collapse', id: 1 }],
    [open, 'twin-1', 'ArrowRight', { kind: 'focus', key: 'twin-2' }],
    [closed, 'twin-1', 'ArrowRight', { kind: 'expand', id: 1 }],
    [closed, 'twin-9', 'ArrowRight', null],
    [open, 'twin-3', 'Home', { kind: 'focus', key: 'twin-1' }],
    [open, 'twin-1', 'End', { kind: 'focus', key: 'twin-9' }],
    [open, 'gone', 'ArrowDown', null],
  ] as const)('%#: %s %s', (rows, from, key, expected) => {
    expect(treeMove(rows, from, key)).toEqual(expected)
  })
})
