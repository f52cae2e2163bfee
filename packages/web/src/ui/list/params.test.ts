import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSearch, stringifySearch } from '../../lib/url.ts'
import { isFiltered, listParams, pageSizes, readListState } from './params.ts'

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

describe('reading the address', () => {
  const read = (address: string, keys: string[] = []) => readListState(parseSearch(address), keys, 20)

  test.each([
    ['?page=2', 2],
    ['?page=2.9', 2],
    ['?page=1e1', 10],
    ['?page=', 1],
    ['?page=-1', 1],
    ['?page=0.5', 1],
    ['?page=Infinity', 1],
    ['?page=1e400', 1],
    ['?page=99999999999999999999', 1],
    ['?page=zwei', 1],
    ['?page=3&page=4', 3],
  ])('%s is page %d', (address, page) => {
    expect(read(address).page).toBe(page)
  })

  test.each([
    ['', undefined],
    ['?sort=', undefined],
    ['?sort=title', { key: 'title', descending: false }],
    ['?sort=-title', { key: 'title', descending: true }],
    ['?sort=--title', { key: '-title', descending: true }],
    ['?sort=-', { key: '', descending: true }],
  ])('%s sorts by %j', (address, sort) => {
    expect(read(address).sort).toEqual(sort)
  })

  test.each([
    ['?account=7', [7]],
    ['?account=7&account=8', [7, 8]],
    ['?account=0&account=-1&account=1.5&account=&account=x', []],
  ])('%s selects the accounts %j', (address, ids) => {
    expect(read(address).accountIds).toEqual(ids)
  })

  test.each([
    ['?favorites=1', true],
    ['?favorites=0', false],
    ['?favorites=true', false],
    ['', false],
  ])('%s shows favourites only: %s', (address, on) => {
    expect(read(address).favorites).toBe(on)
  })

  test('knows only the filters of its list, also such as objects have themselves', () => {
    const state = read('?health=1&colour=red&tag=a&tag=b', ['health', 'tag', 'constructor'])
    expect(state.filters).toEqual({ health: ['1'], tag: ['a', 'b'], constructor: [] })
  })

  test('a size of the user that no menu offers is still a size', () => {
    expect(readListState({}, [], 15).size).toBe(15)
    for (const size of pageSizes) expect(readListState({ size: String(size) }, [], 20).size).toBe(size)
  })
})

describe('what is asked for', () => {
  test('is always a page the server accepts, whatever the address says', () => {
    const text = fc.oneof(fc.string(), fc.integer().map(String), fc.double().map(String))
    const search = fc.record(
      { page: text, size: text, q: text, account: fc.array(text), sort: text, favorites: text },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(search, (given) => {
        const { offset, limit, accountIds } = listParams(readListState(given, [], 20), undefined)
        expect(Number.isSafeInteger(offset)).toBe(true)
        expect(offset).toBeGreaterThanOrEqual(0)
        expect(pageSizes).toContain(limit)
        for (const id of accountIds ?? []) expect(id).toBeGreaterThan(0)
      }),
    )
  })

  test('the search of blanks is none', () => {
    const state = readListState({ q: '   ' }, [], 20)
    expect(listParams(state, undefined).search).toBeUndefined()
    expect(isFiltered(state)).toBe(false)
  })

  test.each([
    [{ q: 'a' }, true],
    [{ account: '3' }, true],
    [{ favorites: '1' }, true],
    [{ health: '2' }, true],
    [{ page: '3', size: '50', sort: 'title' }, false],
    [{ unknown: 'x' }, false],
  ])('%j narrows the list: %s', (search, narrows) => {
    expect(isFiltered(readListState(search as Record<string, string>, ['health'], 20))).toBe(narrows)
  })

  test('a state survives the address it is written into', () => {
    const word = fc.string({ minLength: 1 }).filter((each) => !/[\ud800-\udfff]/.test(each))
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 4 }),
        word,
        fc.integer({ min: 1, max: 1e6 }),
        (tags, q, page) => {
          const address = stringifySearch({ q, page, tag: tags, sort: '-title' })
          const state = readListState(parseSearch(address), ['tag'], 20)
          expect(state).toMatchObject({ search: q, page, filters: { tag: tags } })
        },
      ),
    )
  })
})
