import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { many, one, parseSearch, stringifySearch } from './url.ts'

describe('the query of an address', () => {
  test('keeps texts as texts', () => {
    expect(parseSearch('?q=123&page=2&on=true')).toEqual({ q: '123', page: '2', on: 'true' })
  })

  test('reads repeated names as lists', () => {
    const search = parseSearch('?tag=a&tag=b&q=x')
    expect(many(search, 'tag')).toEqual(['a', 'b'])
    expect(many(search, 'q')).toEqual(['x'])
    expect(many(search, 'none')).toEqual([])
    expect(one(search, 'tag')).toBe('a')
  })

  test('leaves out what is empty', () => {
    expect(stringifySearch({ q: '', page: undefined, tags: [], sort: 'title' })).toBe('?sort=title')
    expect(stringifySearch({})).toBe('')
  })

  test('comes back as it went', () => {
    const key = fc.stringMatching(/^[a-z]{1,8}$/)
    const text = fc.string({ minLength: 1 }).filter((value) => !/[\ud800-\udfff]/.test(value))
    const value = fc.oneof(text, fc.array(text, { minLength: 2, maxLength: 4 }))
    fc.assert(
      fc.property(fc.dictionary(key, value), (search) => {
        expect(parseSearch(stringifySearch(search))).toEqual({ ...search })
      }),
    )
  })
})

describe('names that objects have themselves', () => {
  test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])(
    '%s is a name like any other',
    (name) => {
      expect(one({}, name)).toBeUndefined()
      expect(many({}, name)).toEqual([])
      const search = parseSearch(`?${name}=a`)
      expect(one(search, name)).toBe('a')
      expect(many(search, name)).toEqual(['a'])
      expect(stringifySearch(search)).toBe(`?${name}=a`)
    },
  )

  test('an address cannot change what all objects inherit', () => {
    parseSearch('?__proto__=a&__proto__=b')
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(Object.getPrototypeOf({})).toBe(Object.prototype)
  })
})

describe('characters of an address', () => {
  test.each([
    ['?q=Stra%C3%9Fe', { q: 'Straße' }],
    ['?q=a+b', { q: 'a b' }],
    ['?q=a%2Bb', { q: 'a+b' }],
    ['?q=%F0%9F%8C%A1', { q: '🌡' }],
    ['?q=1%262', { q: '1&2' }],
    ['?q=', { q: '' }],
    ['?q', { q: '' }],
    ['', {}],
    ['?', {}],
    ['?a=1&a=2&a=3', { a: ['1', '2', '3'] }],
  ])('%s is %j', (text, search) => {
    expect(parseSearch(text)).toEqual(search)
  })

  test.each([
    [{ q: 'a b' }, '?q=a+b'],
    [{ q: 'ä&ö=ü#' }, '?q=%C3%A4%26%C3%B6%3D%C3%BC%23'],
    [{ page: 2, on: true, off: false, zero: 0 }, '?page=2&on=true&off=false&zero=0'],
    [{ tags: ['a', '', undefined, 'b'] }, '?tags=a&tags=b'],
    [{ gone: null }, ''],
  ])('%j is written %s', (search, text) => {
    expect(stringifySearch(search)).toBe(text)
  })
})
