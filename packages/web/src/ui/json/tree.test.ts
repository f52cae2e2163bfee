import { expect, test } from 'vitest'
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
