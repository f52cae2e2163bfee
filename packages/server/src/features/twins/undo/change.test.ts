import { describe, expect, test } from 'vitest'
import { changeOf, isNoChange, TwinChange, withoutChange } from './change.ts'

const twin = {
  parentId: 1,
  icon: 'home',
  tags: ['a', 'b'],
  zones: ['z'],
  keyValues: { maker: 'Acme', year: '1999' } as Record<string, string>,
}
type Twin = typeof twin

test('nothing differs between equal twins', () => {
  expect(changeOf(twin, { ...twin })).toEqual({})
  expect(isNoChange(changeOf(twin, { ...twin, tags: ['b', 'a'] }))).toBe(true)
})

test.each<[string, Partial<Twin>]>([
  ['a move', { parentId: 2 }],
  ['another icon', { icon: 'tree' }],
  ['added and removed tags', { tags: ['b', 'c'] }],
  ['no zones', { zones: [] }],
  ['set and removed key-values', { keyValues: { maker: 'Bolt', size: '1' } }],
  ['everything', { parentId: 2, icon: 'tree', tags: [], zones: ['y'], keyValues: {} }],
])('%s is undone completely while nothing else happens', (_, changed) => {
  const after = { ...twin, ...changed }
  const change = TwinChange.parse(JSON.parse(JSON.stringify(changeOf(twin, after))))
  const { twin: back, isParentBack, left } = withoutChange(after, change)
  expect(left).toEqual([])
  expect(isParentBack).toBe(changed.parentId !== undefined)
  const parentId = isParentBack ? change.parentId?.before : back.parentId
  expect({ ...back, parentId, tags: back.tags.toSorted() }).toEqual(twin)
})

describe('what others have changed since', () => {
  const after = { ...twin, parentId: 2, icon: 'tree', tags: ['b', 'c'], keyValues: { maker: 'Bolt' } }
  const change = changeOf(twin, after)

  test('stays: parent, icon and the value of a key', () => {
    const since = { ...after, parentId: 3, icon: 'door', keyValues: { maker: 'Core', new: 'x' } }
    const { twin: back, isParentBack, left } = withoutChange(since, change)
    expect(back).toMatchObject({
      parentId: 3,
      icon: 'door',
      keyValues: { maker: 'Core', new: 'x', year: '1999' },
    })
    expect(isParentBack).toBe(false)
    expect(left).toEqual(['parent', 'keyValues', 'icon'])
  })

  test('is no conflict where it is as before already', () => {
    const since = { ...after, tags: ['a', 'b', 'd'], keyValues: { maker: 'Acme', year: '1999' } }
    const { twin: back, left } = withoutChange(since, change)
    expect(back.tags).toEqual(['a', 'b', 'd'])
    expect(back.keyValues).toEqual(twin.keyValues)
    expect(left).toEqual([])
  })

  test('stays if there would be too many tags or keys', () => {
    const many = Array.from({ length: 50 }, (_, at) => `tag ${at}`)
    const full = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`key ${at}`, 'x']))
    const since = { ...after, tags: many, keyValues: full }
    const { twin: back, left } = withoutChange(since, change)
    expect(back.tags).toEqual(many)
    expect(back.keyValues).toEqual(full)
    expect(left).toEqual(['tags', 'keyValues'])
  })
})
