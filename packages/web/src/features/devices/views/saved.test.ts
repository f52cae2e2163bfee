import { expect, it } from 'vitest'
import { parseSearch, stringifySearch } from '../../../lib/url.ts'
import { listParams, readListState } from '../../../ui/list/params.ts'
import { addressOf, filterOf, isSameFilter } from './saved.ts'

const keys = [
  ...['health', 'connector', 'driver', 'status', 'silent', 'group', 'tag', 'zone'],
  ...['type', 'state', 'keyvalue', 'reference'],
]
const filterIn = (address: string) =>
  filterOf(listParams(readListState(parseSearch(address), keys, 20), 'title'))

it('a filter comes back from its address as it was saved', () => {
  const all = {
    search_items: ['"Tonne 1"'],
    account_ids: [3, 4],
    connector_ids: [7],
    bridge_types: ['mqtt'],
    driver_ids: [9],
    groups: ['Abfall'],
    tags: ['a', 'b'],
    zones: ['Nord'],
    operational_status: [0, 3],
    health: [1, 2],
    last_seen_older_minutes: 1440,
    key_value: 'Raum=12',
    reference_id: 'Anlage',
    disabled: false,
    favorites: true,
  }
  expect(filterIn(stringifySearch(addressOf(all) ?? {}))).toEqual(all)
  expect(filterIn(stringifySearch(addressOf({ health: [2] }) ?? {}))).toEqual({ health: [2] })
})

it('page and order are no part of it, and nonsense of an old link neither', () => {
  expect(filterIn('?page=7&sort=-lastSeen&size=50&health=x&status=9')).toEqual({})
})

it('another filter leaves nothing behind', () => {
  const change = addressOf({ tags: ['a'] }) ?? {}
  for (const key of [...keys, 'q', 'account', 'favorites', 'page']) expect(Object.keys(change)).toContain(key)
})

it.each([{ parent_id: 7 }, { ids: [1, 2] }, { search_items: ['a', 'b'], search_operator: 'or' as const }])(
  'what the list has no place for is not shown as less: %j',
  (filter) => expect(addressOf(filter)).toBeNull(),
)

it('the order of values does not make another filter', () => {
  expect(isSameFilter({ health: [1, 2], tags: ['a'] }, { tags: ['a'], health: [2, 1] })).toBe(true)
  expect(isSameFilter({ favorites: false }, {})).toBe(true)
  expect(isSameFilter({ disabled: false }, {})).toBe(false)
  expect(isSameFilter({ tags: ['a'] }, { tags: ['a', 'b'] })).toBe(false)
})
