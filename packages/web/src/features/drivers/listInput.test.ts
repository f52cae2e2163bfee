import { describe, expect, test } from 'vitest'
import type { ListParams } from '../../ui/list/types.ts'
import { listInput as libraryInput } from './library/listInput.ts'
import { listInput } from './listInput.ts'

const params = (filters: ListParams['filters'], change: Partial<ListParams> = {}): ListParams => ({
  offset: 0,
  limit: 20,
  search: 'Elsys',
  accountIds: [2],
  orderBy: undefined,
  favorites: false,
  filters,
  ...change,
})

describe('the list of drivers', () => {
  test.each([
    [['own'], false],
    [['delivered'], true],
    [['own', 'delivered'], undefined],
    [['bought'], undefined],
    [undefined, undefined],
  ])('of the origin %j is asked for as delivered: %j', (origin, delivered) => {
    expect(listInput(params({ origin })).delivered).toBe(delivered)
  })

  test('of makers is asked for by their names, as they are written', () => {
    const maker = ['Müller & Söhne', 'ELSYS']
    expect(listInput(params({ maker }))).toMatchObject({
      manufacturers: maker,
      search: 'Elsys',
      accountIds: [2],
    })
    expect(listInput(params({})).manufacturers).toBeUndefined()
  })

  test.each([
    [['outdated'], true],
    [['nonsense'], undefined],
    [undefined, undefined],
  ])('by the acceptance %j is asked for as outdated: %j', (acceptance, outdated) => {
    expect(listInput(params({ acceptance })).outdated).toBe(outdated)
  })

  test.each([
    ['-deviceCount', '-deviceCount'],
    ['title', 'title'],
    ['origin', undefined],
  ])('in the order %s is asked for in the order %s', (orderBy, asked) => {
    expect(listInput(params({}, { orderBy })).orderBy).toBe(asked)
  })
})

describe('the library of drivers', () => {
  test('is asked for by what the filters know', () => {
    const input = libraryInput(params({ category: ['nonsense'], state: ['nonsense'], maker: ['Elsys'] }))
    expect(input).toMatchObject({
      categories: undefined,
      states: undefined,
      manufacturers: ['Elsys'],
      search: 'Elsys',
    })
  })

  test.each([
    ['title', 'title'],
    ['-manufacturer', '-manufacturer'],
    ['model', undefined],
    [undefined, undefined],
  ])('in the order %s is asked for in the order %s', (orderBy, asked) => {
    expect(libraryInput(params({}, { orderBy })).orderBy).toBe(asked)
  })
})
