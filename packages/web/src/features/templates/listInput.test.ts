import { expect, test } from 'vitest'
import type { ListParams } from '../../ui/list/types.ts'
import { listInput } from './listInput.ts'

const params = (filters: ListParams['filters'], orderBy?: string): ListParams => ({
  offset: 40,
  limit: 20,
  search: undefined,
  accountIds: undefined,
  orderBy,
  favorites: false,
  filters,
})

test.each([
  [['draft'], false],
  [['productive'], true],
  [['draft', 'productive'], undefined],
  [['of an old link'], undefined],
  [undefined, undefined],
])('templates of the stage %j are asked for as productive: %j', (stage, productive) => {
  expect(listInput(params({ stage })).productive).toBe(productive)
})

test.each([
  [
    ['3', '4'],
    [3, 4],
  ],
  [['3', 'x'], [3]],
  [['0'], undefined],
  [['-3'], undefined],
  [undefined, undefined],
])('templates of the drivers %j are asked for by the ids %j', (driver, driverIds) => {
  expect(listInput(params({ driver })).driverIds).toEqual(driverIds)
})

test.each([
  ['-driver', '-driver'],
  ['account', 'account'],
  ['id', 'id'],
  ['stage', undefined],
])('the order %s is asked for as %s', (orderBy, asked) => {
  expect(listInput(params({}, orderBy)).orderBy).toBe(asked)
})

test('the page is kept', () => {
  expect(listInput(params({}))).toMatchObject({ offset: 40, limit: 20 })
})
