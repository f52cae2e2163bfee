import fc from 'fast-check'
import { expect, test } from 'vitest'
import { coversFilter, forUser, lastLevel, matchesFilter } from './topics.ts'

test.each([
  ['a/b', 'a/b', true],
  ['a/b', 'a/b/c', false],
  ['a/+', 'a/b', true],
  ['a/+', 'a', false],
  ['a/+', 'a/', true],
  ['a/#', 'a', true],
  ['a/#', 'a/b/c', true],
  ['#', 'a/b', true],
  ['+/+', '/a', true],
  ['+', '/a', false],
  ['#', '$SYS/x', false],
  ['+/x', '$SYS/x', false],
  ['$SYS/#', '$SYS/x', true],
  ['$share/group/a/+', 'a/b', true],
  ['$share/group/a/+', 'b/b', false],
])('%s matches %s: %s', (filter, topic, expected) => {
  expect(matchesFilter(filter, topic)).toBe(expected)
})

test.each([
  ['a/#', 'a/#', true],
  ['a/#', 'a/+/c', true],
  ['a/#', 'a', true],
  ['a/+', 'a/b', true],
  ['a/+', 'a/+', true],
  ['a/+', 'a/#', false],
  ['a/b', 'a/+', false],
  ['a/+/c', 'a/b/c', true],
  ['a', 'a/#', false],
  ['#', '$SYS/#', false],
  ['b/#', '#', false],
])('%s covers %s: %s', (outer, inner, expected) => {
  expect(coversFilter(outer, inner)).toBe(expected)
})

test('what a covered filter matches, the covering one matches too', () => {
  const level = fc.constantFrom('a', 'b', '+', '')
  const filter = fc
    .tuple(fc.array(level, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([levels, rest]) => (rest ? [...levels, '#'] : levels).join('/'))
    .filter((text) => text !== '')
  const topic = fc
    .array(fc.constantFrom('a', 'b', ''), { minLength: 1, maxLength: 5 })
    .map((levels) => levels.join('/'))
  fc.assert(
    fc.property(filter, filter, topic, (outer, inner, at) => {
      const reached = coversFilter(outer, inner) && matchesFilter(inner, at)
      expect(!reached || matchesFilter(outer, at)).toBe(true)
    }),
    { numRuns: 5000 },
  )
})

test('rights are filled with the user name, the last level names the device', () => {
  expect(forUser(['{username}/up/#', 'all'], 'city')).toEqual(['city/up/#', 'all'])
  expect(lastLevel('v3/app/devices/d1')).toBe('d1')
  expect(lastLevel('d1')).toBe('d1')
})
