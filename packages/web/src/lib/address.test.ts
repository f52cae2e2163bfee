import { expect, it } from 'vitest'
import { hashWithQuery } from './address.ts'

it.each([
  ['', '#/home', null],
  ['?', '#/home', null],
  ['?lang=en', '', '#/?lang=en'],
  ['?lang=en', '#/home', '#/home?lang=en'],
  ['?lang=en', '#/virtual-devices/7?tab=packets', '#/virtual-devices/7?tab=packets&lang=en'],
])('%s before %s is %s', (search, hash, expected) => expect(hashWithQuery(search, hash)).toBe(expected))

it.each([
  ['?lang=en&tab=a', '#/home?tab=b', '#/home?tab=b&lang=en&tab=a'],
  ['?q=%C3%A4%20b', '#/home', '#/home?q=%C3%A4%20b'],
  ['lang=en', '#/home', '#/home?lang=en'],
  ['?a?b', '#/home', '#/home?a?b'],
  ['?lang=en', '#', '#/?lang=en'],
])('nothing of %s before %s is lost', (search, hash, expected) =>
  expect(hashWithQuery(search, hash)).toBe(expected),
)
