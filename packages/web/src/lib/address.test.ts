import { expect, it } from 'vitest'
import { hashWithQuery } from './address.ts'

it.each([
  ['', '#/home', null],
  ['?', '#/home', null],
  ['?lang=en', '', '#/?lang=en'],
  ['?lang=en', '#/home', '#/home?lang=en'],
  ['?lang=en', '#/virtual-devices/7?tab=packets', '#/virtual-devices/7?tab=packets&lang=en'],
])('%s before %s is %s', (search, hash, expected) => expect(hashWithQuery(search, hash)).toBe(expected))
