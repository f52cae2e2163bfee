import { expect, test } from 'vitest'
import { safeRedirect } from './redirect.ts'

test.each([
  ['/virtual-devices/12?tab=packets', '/virtual-devices/12?tab=packets'],
  [undefined, '/home'],
  ['', '/home'],
  ['https://elsewhere.example', '/home'],
  ['//elsewhere.example', '/home'],
  ['/\\elsewhere.example', '/home'],
  ['javascript:alert(1)', '/home'],
  ['/login?redirect=/login', '/home'],
])('after signing in %j leads to %s', (wanted, target) => {
  expect(safeRedirect(wanted)).toBe(target)
})
