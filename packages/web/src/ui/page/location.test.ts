import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringifySearch } from '../../lib/url.ts'
import { toLocation } from './location.ts'

test.each([
  ['/home', '/home', {}],
  ['/virtual-devices/12?tab=packets', '/virtual-devices/12', { tab: 'packets' }],
  ['/virtual-devices?tag=a&tag=b', '/virtual-devices', { tag: ['a', 'b'] }],
  ['/virtual-devices?q=Stra%C3%9Fe+1', '/virtual-devices', { q: 'Straße 1' }],
  ['/login?redirect=%2Fhome%3Ftab%3Da', '/login', { redirect: '/home?tab=a' }],
  ['/a?x=1?2', '/a', { x: '1?2' }],
  ['/a?', '/a', {}],
  ['', '/', {}],
  ['?x=1', '/', { x: '1' }],
])('%s leads to %s with %j', (address, to, search) => {
  expect(toLocation(address)).toEqual({ to, search })
})

test('a query survives', () => {
  const text = fc.string({ minLength: 1 }).filter((each) => !/[\ud800-\udfff]/.test(each))
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), text), (search) => {
      expect(toLocation(`/path${stringifySearch(search)}`)).toEqual({ to: '/path', search: { ...search } })
    }),
  )
})
