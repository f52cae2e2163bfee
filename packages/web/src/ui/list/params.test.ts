import { describe, expect, test } from 'vitest'
import { isFiltered, listParams, readListState } from './params.ts'

describe('the state of a list', () => {
  test('comes from the address', () => {
    const state = readListState(
      { q: ' raum ', page: '3', size: '50', sort: '-title', account: ['1', 'x', '2'], health: '2' },
      ['health', 'tags'],
      20,
    )
    expect(listParams(state, undefined)).toEqual({
      offset: 100,
      limit: 50,
      search: 'raum',
      accountIds: [1, 2],
      orderBy: '-title',
      favorites: false,
      filters: { health: ['2'], tags: undefined },
    })
    expect(isFiltered(state)).toBe(true)
  })

  test.each([{ page: '0' }, { page: '-4' }, { page: 'x' }, { size: '7' }, { size: '1000000' }])(
    '%j counts as the default',
    (search) => {
      const state = readListState(search, [], 20)
      expect(state).toMatchObject({ page: 1, size: 20 })
      expect(isFiltered(state)).toBe(false)
    },
  )

  test('the default order is asked for while none is chosen', () => {
    expect(listParams(readListState({}, [], 20), '-lastSeen').orderBy).toBe('-lastSeen')
  })
})
