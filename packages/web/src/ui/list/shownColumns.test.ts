import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shownColumns, toggledColumns, withChoice } from './shownColumns.ts'

const all = [
  { key: 'title' },
  { key: 'health' },
  { key: 'tags', optional: true },
  { key: 'id', optional: true },
]
const keys = (chosen?: string[]) => shownColumns(all, chosen).map(({ key }) => key)

describe('the columns of a list', () => {
  test.each([
    [undefined, ['title', 'health']],
    [[], ['title']],
    [['tags'], ['title', 'tags']],
    [
      ['id', 'health'],
      ['title', 'health', 'id'],
    ],
    [['gone', 'constructor'], ['title']],
    [['title', 'title'], ['title']],
  ])('with the choice %j are %j', (chosen, shown) => {
    expect(keys(chosen)).toEqual(shown)
  })

  test('of a list without columns are none', () => {
    expect(shownColumns([], undefined)).toEqual([])
  })
})

describe('switching a column', () => {
  const toggle = (chosen: string[] | undefined, key: string) =>
    toggledColumns(all, shownColumns(all, chosen), key)

  test.each([
    [undefined, 'tags', ['title', 'health', 'tags']],
    [undefined, 'health', ['title']],
    [['id'], 'health', ['title', 'health', 'id']],
    [['id'], 'gone', ['title', 'id']],
  ])('of %j: %s gives %j', (chosen, key, next) => {
    expect(toggle(chosen, key)).toEqual(next)
  })

  test('twice leads back, whatever is shown, except for the first column', () => {
    const choice = fc.subarray(['health', 'tags', 'id'])
    fc.assert(
      fc.property(choice, fc.constantFrom('health', 'tags', 'id'), (chosen, key) => {
        expect(keys(toggle(toggle(chosen, key), key))).toEqual(keys(chosen))
      }),
    )
  })
})

describe('the choice stored with the user', () => {
  test.each([
    [undefined, ['a'], { devices: ['a'] }],
    [{ devices: ['b'], twins: ['c'] }, ['a'], { devices: ['a'], twins: ['c'] }],
    [{ devices: ['b'], twins: ['c'] }, undefined, { twins: ['c'] }],
    [undefined, undefined, {}],
    [{ twins: ['c'] }, [], { twins: ['c'], devices: [] }],
  ])('of %j with %j is %j', (columns, chosen, next) => {
    expect(withChoice(columns, 'devices', chosen)).toEqual(next)
  })
})
