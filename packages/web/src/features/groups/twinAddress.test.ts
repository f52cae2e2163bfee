import { expect, test } from 'vitest'
import { twinAddressOf } from './twinAddress.ts'

test('a saved filter replaces everything that narrows the list', () => {
  expect(twinAddressOf({})).toEqual({
    page: undefined,
    favorites: undefined,
    q: undefined,
    account: undefined,
    type: undefined,
    tag: undefined,
    zone: undefined,
    parent: undefined,
    disabled: undefined,
  })
  expect(
    twinAddressOf({
      search: 'hall',
      accountIds: [2],
      types: ['room'],
      tags: ['a', 'b'],
      zones: ['z'],
      parentId: 7,
      disabled: false,
    }),
  ).toMatchObject({
    q: 'hall',
    account: ['2'],
    type: ['room'],
    tag: ['a', 'b'],
    zone: ['z'],
    parent: '7',
    disabled: '0',
  })
  expect(twinAddressOf({ disabled: true })).toMatchObject({ disabled: '1' })
})

test('the list cannot show a filter by property', () => {
  expect(twinAddressOf({ keyValue: 'year=1901' })).toBeNull()
})
