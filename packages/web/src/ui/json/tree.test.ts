import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldersOf, matchingPaths } from './tree.ts'

const packet = { deviceInfo: { devEui: 'A817', tags: ['a'] }, object: { temperature: 21.4, open: false } }

test('a search finds keys and values and opens the way to them', () => {
  expect(matchingPaths(packet, 'temper')).toEqual({
    exact: new Set(['$.object.temperature']),
    open: new Set(['$', '$.object']),
  })
  expect(matchingPaths(packet, 'a817').exact).toEqual(new Set(['$.deviceInfo.devEui']))
  expect(matchingPaths(packet, 'none')).toEqual({ exact: new Set(), open: new Set() })
})

test('objects and lists above a level can be folded', () => {
  expect(foldersOf(packet, 2)).toEqual(['$.deviceInfo', '$.object'])
  expect(foldersOf('text', 2)).toEqual([])
})

describe('searching', () => {
  test.each([
    ['a number by its digits', { a: 21.5 }, '21.5', ['$.a']],
    ['a boolean', { on: true, off: false }, 'TRUE', ['$.on']],
    ['null', { a: null }, 'null', ['$.a']],
    ['an entry of a list by its index', ['x', 'y'], '1', ['$.1']],
    ['a key of a branch, not its content', { gateway: { id: 1 } }, 'gate', ['$.gateway']],
    ['umlauts in any case', { Größe: 'KÜHL' }, 'küh', ['$.Größe']],
    ['a plain document', 'Hello', 'ell', ['$']],
  ])('finds %s', (_name, document, text, paths) => {
    expect([...matchingPaths(document, text).exact]).toEqual(paths)
  })

  test('opens every branch above a hit and none besides', () => {
    const document = { a: { b: { c: 'hit' } }, d: { e: 'other' } }
    expect(matchingPaths(document, 'hit').open).toEqual(new Set(['$', '$.a', '$.a.b']))
  })

  test('what it opens leads to each hit, whatever the document', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }),
        fc.string({ minLength: 1, maxLength: 2 }),
        (document, text) => {
          const { exact, open } = matchingPaths(document, text)
          for (const path of exact) {
            // A key may contain points, so the parents are found among the opened paths.
            if (path !== '$') expect([...open].some((parent) => path.startsWith(`${parent}.`))).toBe(true)
          }
          if (exact.size === 0) expect(open.size).toBe(0)
        },
      ),
    )
  })

  test('stays quick in a document of many entries', () => {
    const document = { list: Array.from({ length: 100_000 }, (_, index) => index) }
    expect(matchingPaths(document, 'list').exact.has('$.list')).toBe(true)
    expect(foldersOf(document, 3)).toEqual(['$.list'])
  })
})

describe('folders', () => {
  const deep = { a: { b: { c: {} } }, list: [[1]] }
  test.each([
    [0, []],
    [1, []],
    [2, ['$.a', '$.list']],
    [3, ['$.a', '$.a.b', '$.list', '$.list.0']],
    [9, ['$.a', '$.a.b', '$.a.b.c', '$.list', '$.list.0']],
  ])('above level %d', (levels, paths) => {
    expect(foldersOf(deep, levels)).toEqual(paths)
  })
})
