import { expect, test } from 'vitest'
import type { ListParams } from '../../ui/list/types.ts'
import { listInput } from './listInput.ts'

const params: ListParams = {
  offset: 0,
  limit: 50,
  search: 'Halle',
  accountIds: [3],
  orderBy: undefined,
  favorites: false,
  filters: {},
}

test('the list of connectors is asked for page, search and accounts', () => {
  expect(listInput(params)).toEqual({
    offset: 0,
    limit: 50,
    search: 'Halle',
    accountIds: [3],
    kinds: undefined,
    orderBy: undefined,
  })
})

test.each([
  [['mqtt-in'], ['mqtt-in']],
  [
    ['webhook-in', 'mqtt-broker', 'webhook-in'],
    ['webhook-in', 'mqtt-broker'],
  ],
  [['coap'], undefined],
  [['coap', 'mqtt-in'], ['mqtt-in']],
  [[], undefined],
  [undefined, undefined],
])('the kinds %j are asked for as %j', (kind, kinds) => {
  const asked = listInput({ ...params, filters: { kind } }).kinds
  expect(asked?.toSorted()).toEqual(kinds?.toSorted())
})

test.each([
  ['name', 'name'],
  ['-createdAt', '-createdAt'],
  ['-state', '-state'],
  ['devices', undefined],
  ['', undefined],
])('the order %j is asked for as %j', (orderBy, asked) => {
  expect(listInput({ ...params, orderBy }).orderBy).toBe(asked)
})
