import type { TwinSummary } from '@leitstand/contract/twins'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { twin } from '../../../test/twins.ts'
import { searchTree, type TreeState, treeMove, treeRows } from './tree.ts'

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

describe('any tree', () => {
  /** Twins 1 to n; each lies below an earlier one or at the top. */
  const anyTwins = fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 30 }).map((parents) => {
    const parentOf = parents.map((parent, index) => (parent < index ? parent + 1 : null))
    return parentOf.map((parentId, index) =>
      twin(index + 1, parentId, parentOf.filter((each) => each === index + 1).length, `Raum ${index + 1}`),
    )
  })
  const childrenOf = (twins: readonly TwinSummary[]) =>
    new Map(
      [0, ...twins.map(({ id }) => id)].map((id) => [
        id,
        page(...twins.filter((each) => (each.parentId ?? 0) === id)),
      ]),
    )
  const rowsOf = (twins: readonly TwinSummary[], open: (id: number) => boolean) =>
    treeRows(
      state({
        children: childrenOf(twins),
        expanded: new Set(twins.map(({ id }) => id).filter((id) => open(id))),
      }),
    )

  it('shows a twin exactly if all above it are expanded', () => {
    fc.assert(
      fc.property(anyTwins, fc.func(fc.boolean()), (twins, isOpen) => {
        const byId = new Map(twins.map((each) => [each.id, each]))
        const isShown = ({ parentId }: TwinSummary): boolean => {
          const parent = parentId === null ? undefined : byId.get(parentId)
          return parent === undefined || (isOpen(parent.id) && isShown(parent))
        }
        const shown = rowsOf(twins, isOpen).flatMap((row) => (row.kind === 'twin' ? [row.twin.id] : []))
        expect(new Set(shown)).toEqual(new Set(twins.filter(isShown).map(({ id }) => id)))
        expect(shown).toHaveLength(new Set(shown).size)
      }),
    )
  })

  it('says the level and the place among siblings, for screen readers', () => {
    fc.assert(
      fc.property(anyTwins, (twins) => {
        for (const row of rowsOf(twins, () => true)) {
          if (row.kind !== 'twin') continue
          const siblings = twins.filter(({ parentId }) => parentId === row.twin.parentId)
          expect(row.siblings).toBe(siblings.length)
          expect(siblings[row.position - 1]?.id).toBe(row.twin.id)
          expect(row.expandable).toBe(twins.some(({ parentId }) => parentId === row.twin.id))
        }
      }),
    )
  })

  it('can be walked down and up again by arrow keys, row by row', () => {
    fc.assert(
      fc.property(anyTwins, fc.func(fc.boolean()), (twins, isOpen) => {
        const rows = rowsOf(twins, isOpen)
        const walk = (from: string, key: string) => {
          const passed = [from]
          for (let at = from; ; ) {
            const move = treeMove(rows, at, key)
            if (move?.kind !== 'focus') return passed
            at = move.key
            passed.push(at)
          }
        }
        const keys = rows.map(({ key }) => key)
        expect(walk(keys[0] ?? '', 'ArrowDown')).toEqual(keys)
        expect(walk(keys.at(-1) ?? '', 'ArrowUp')).toEqual(keys.toReversed())
      }),
    )
  })

  it('a search shows every twin it found', () => {
    fc.assert(
      fc.property(anyTwins, (twins) => {
        const found = searchTree(twins)
        const shown = treeRows(state({ ...found })).flatMap((row) =>
          row.kind === 'twin' ? [row.twin.id] : [],
        )
        expect(shown.toSorted((a, b) => a - b)).toEqual(twins.map(({ id }) => id))
      }),
    )
  })
})

describe('other keys', () => {
  const children = new Map([[0, page(twin(1, null), twin(2, null))]])
  const rows = treeRows(state({ children }))
  it.each(['Enter', ' ', 'a', 'Tab', 'Escape', 'PageDown'])('%j moves nothing', (key) => {
    expect(treeMove(rows, 'twin-1', key)).toBeNull()
  })
  it.each([
    ['twin-1', 'Home', null],
    ['twin-2', 'End', null],
    ['twin-1', 'ArrowUp', null],
    ['twin-1', 'ArrowLeft', null],
  ])('%s %s stays where it is', (from, key, move) => {
    expect(treeMove(rows, from, key)).toBe(move)
  })
  it('skips rows that are no twins', () => {
    const cut = treeRows(
      state({
        children: new Map([[0, { items: [twin(1, null, 1), twin(2, null)], total: 9 }]]),
        expanded: new Set([1]),
      }),
    )
    expect(outline(cut)).toEqual(['-1', '--loading', '-2', '-more'])
    expect(treeMove(cut, 'twin-1', 'ArrowDown')).toEqual({ kind: 'focus', key: 'twin-2' })
    expect(treeMove(cut, 'twin-2', 'ArrowDown')).toBeNull()
  })
})
