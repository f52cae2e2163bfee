import { StateFilter } from '@leitstand/contract/overview'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addressOf, filterOf, groupedInput, overviewInput, quickKeys } from './filters.ts'

const params = {
  offset: 0,
  limit: 20,
  search: undefined,
  accountIds: undefined,
  orderBy: undefined,
  favorites: false,
}

it('asks for nothing more than what is set', () => {
  expect(overviewInput({ ...params, filters: {} })).toEqual({ offset: 0, limit: 20 })
  expect(overviewInput({ ...params, search: 'CO2', orderBy: '-time', filters: {} })).toEqual({
    offset: 0,
    limit: 20,
    search: 'CO2',
    orderBy: '-time',
  })
  expect(overviewInput({ ...params, orderBy: 'colour', filters: {} })).toEqual({ offset: 0, limit: 20 })
})

it('orders states below their twins by twin, whatever an old address says', () => {
  expect(groupedInput({ ...params, orderBy: '-value', filters: {} })).toEqual({
    offset: 0,
    limit: 20,
    orderBy: 'twin',
  })
  expect(groupedInput({ ...params, orderBy: '-twin', filters: {} })).toMatchObject({ orderBy: '-twin' })
})

it('joins the quick filters, and takes one as it is', () => {
  expect(filterOf({ accountIds: undefined, filters: { unit: ['ppm'] } })).toEqual({
    attribute: 'unit',
    operator: 'equals',
    value: ['ppm'],
  })
  expect(filterOf({ accountIds: [3], filters: { silent: ['60'], place: ['without'] } })).toEqual({
    and: [
      { attribute: 'accountId', operator: 'equals', value: [3] },
      { attribute: 'timestamp', operator: 'valueOlderThan', value: 60 },
      { attribute: 'geolocation', operator: 'isNull' },
    ],
  })
  expect(filterOf({ accountIds: undefined, filters: { silent: ['never'], place: ['with'] } })).toEqual({
    and: [
      { attribute: 'timestamp', operator: 'isNull' },
      { attribute: 'geolocation', operator: 'isNotNull' },
    ],
  })
})

it.each(quickKeys)('nonsense of an old link for %s does not reach the server', (key) => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 300 }), { maxLength: 5 }), (values) => {
      const filter = filterOf({ accountIds: undefined, filters: { [key]: values } })
      expect(filter === undefined || StateFilter.safeParse(filter).success).toBe(true)
    }),
  )
})

it('joins a filter built by hand with the others, and drops one that is cut off', () => {
  const built = { or: [{ attribute: 'unit', operator: 'isNull' }] } as const
  const where = [JSON.stringify(built)]
  expect(filterOf({ accountIds: undefined, filters: { where } })).toEqual(built)
  expect(filterOf({ accountIds: undefined, filters: { where, category: ['virtualDevice'] } })).toEqual({
    and: [{ attribute: 'twin_category', operator: 'equals', value: ['virtualDevice'] }, built],
  })
  for (const wrong of [JSON.stringify(built).slice(1), '{"or":[]}', 'null', ''])
    expect(filterOf({ accountIds: undefined, filters: { where: [wrong] } })).toBeUndefined()
})

it('a saved filter replaces everything that narrows the list, and comes back as it was saved', () => {
  const filter = filterOf({ accountIds: [3], filters: { unit: ['ppm'], silent: ['60'] } })
  const address = addressOf({ search: 'CO2', ...(filter ? { filter } : {}) })
  expect(Object.keys(address)).toEqual(expect.arrayContaining([...quickKeys, 'account', 'page']))
  expect(address).toMatchObject({ q: 'CO2', unit: undefined, account: undefined })
  expect(filterOf({ accountIds: undefined, filters: { where: [address.where ?? ''] } })).toEqual(filter)
  expect(addressOf({ search: 'CO2' })).toMatchObject({ where: undefined })
})
