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
