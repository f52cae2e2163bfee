import { describe, expect, test } from 'vitest'
import { linesOf, noTargets, selectionOf, withSyncPart } from './targets.ts'

describe('the selection', () => {
  test('is missing until something is chosen, so that an empty filter never means every twin', () => {
    expect(selectionOf(noTargets)).toBeNull()
    expect(selectionOf({ ...noTargets, by: 'filter' })).toBeNull()
  })

  test('has the chosen twins, or what the filter says', () => {
    const filter = {
      parentId: '3',
      types: ['room' as const],
      tags: ['a'],
      zones: ['z'],
    }
    const both = { by: 'names' as const, ids: ['4', '5'], filter }
    expect(selectionOf(both)).toEqual({ ids: [4, 5] })
    expect(selectionOf({ ...both, by: 'filter' })).toEqual({ filter: { ...filter, parentId: 3 } })
    const few = { ...noTargets.filter, tags: ['b'] }
    expect(selectionOf({ ...noTargets, by: 'filter', filter: few })).toEqual({ filter: { tags: ['b'] } })
  })
})

test('rules come and go with states', () => {
  const parts = { states: true, rules: true, typeFields: false, icon: false, removeOthers: false }
  expect(withSyncPart(parts, 'states', false)).toEqual({ ...parts, states: false, rules: false })
  expect(withSyncPart(parts, 'icon', true)).toEqual({ ...parts, icon: true })
})

test('lines say what changes, without what stays', () => {
  const nothing = { added: [], changed: [], removed: [] }
  const same = { id: 1, title: 'A', states: nothing, rules: nothing, fields: [] }
  expect(linesOf(same)).toEqual([])
  expect(
    linesOf({
      ...same,
      states: { added: ['a'], changed: [], removed: ['b', 'c'] },
      rules: { ...nothing, changed: ['R'] },
      fields: ['icon'],
    }),
  ).toEqual([
    { kind: 'added', of: 'states', names: ['a'] },
    { kind: 'removed', of: 'states', names: ['b', 'c'] },
    { kind: 'changed', of: 'rules', names: ['R'] },
    { kind: 'changed', of: 'fields', names: ['icon'] },
  ])
})
