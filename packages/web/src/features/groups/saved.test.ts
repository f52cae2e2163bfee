import { healthCategories } from '@leitstand/contract/health'
import { DeviceFilters } from '@leitstand/contract/virtualdevices'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseSearch, stringifySearch } from '../../lib/url.ts'
import { listParams, readListState } from '../../ui/list/params.ts'
import { deviceListInput, filterOf } from '../devices/filters.ts'
import { addressOf, isSameFilter } from './saved.ts'

const keys = [
  ...['health', 'problem', 'connector', 'driver', 'status', 'silent', 'group', 'tag', 'zone'],
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
    health_categories: ['battery' as const],
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

const listKeys = [...keys, 'template']
const readAddress = (address: string) =>
  filterOf(listParams(readListState(parseSearch(address), listKeys, 20), 'title'))

it('a filter by template narrows the list when it is used again', () => {
  const saved = readAddress('?template=5&template=6')
  expect(saved).toEqual({ template_ids: [5, 6] })
  expect(readAddress(stringifySearch(addressOf(saved) ?? {}))).toEqual(saved)
})

it('whatever can be set in the list can be saved and comes back', () => {
  const word = fc.string({ minLength: 1, maxLength: 20 }).filter((each) => !/[\ud800-\udfff]/.test(each))
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 999_999_999 }), { maxLength: 3 })
  const codes = (max: number) => fc.uniqueArray(fc.integer({ min: 0, max }), { maxLength: 3 })
  const words = fc.uniqueArray(word, { maxLength: 3 })
  const search = fc.record(
    {
      q: word.filter((each) => each.trim() === each),
      account: ids,
      connector: ids,
      driver: ids,
      template: ids,
      health: codes(4),
      problem: fc.subarray([...healthCategories]),
      status: codes(5),
      silent: fc.integer({ min: 1, max: 43_200 }),
      group: words,
      tag: words,
      zone: words,
      type: words,
      state: fc.constantFrom('enabled', 'disabled'),
      keyvalue: word,
      reference: word,
      favorites: fc.constant('1'),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(search, (given) => {
      const saved = readAddress(stringifySearch(given))
      expect(DeviceFilters.safeParse(saved).success).toBe(true)
      const change = addressOf(saved)
      expect(change).not.toBeNull()
      const again = readAddress(stringifySearch(change ?? {}))
      expect(again).toEqual(saved)
      expect(isSameFilter(again, saved)).toBe(true)
    }),
  )
})

it('every part of the list that narrows it is part of the saved filter', () => {
  const values: Record<string, string> = { state: 'enabled', problem: 'battery' }
  const narrowed = listKeys.map((key) => [key, [values[key] ?? '1']])
  const all: Record<string, string[]> = Object.fromEntries(narrowed)
  const params = { offset: 0, limit: 20, search: 'a', accountIds: [1], orderBy: 'title', favorites: true }
  const { offset: _, limit: __, order_by: ___, ...narrowing } = deviceListInput({ ...params, filters: all })
  expect(Object.keys(filterOf({ ...params, filters: all })).toSorted()).toEqual(
    Object.keys(narrowing).toSorted(),
  )
})

it.each([
  [{}, {}, true],
  [{ favorites: true }, {}, false],
  [{ search_items: ['a'] }, { search_items: ['b'] }, false],
  [{ health: [1] }, { operational_status: [1] }, false],
  [{ tags: [] }, {}, false],
  [{ driver_ids: [10, 9] }, { driver_ids: [9, 10] }, true],
  [{ disabled: true }, { disabled: false }, false],
  [{ key_value: 'a=1' }, { key_value: 'a=1', tags: undefined }, true],
])('%j and %j are the same: %s', (one, other, same) => {
  expect(isSameFilter(one, other as DeviceFilters)).toBe(same)
  expect(isSameFilter(other as DeviceFilters, one)).toBe(same)
})
