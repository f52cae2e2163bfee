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

test.each([
  ['/\thome', '/\thome'],
  ['/%2F%2Felsewhere.example', '/%2F%2Felsewhere.example'],
  ['/ö?x=<b>', '/ö?x=<b>'],
  ['  //elsewhere.example', '/home'],
  ['data:text/html,x', '/home'],
  ['\\\\elsewhere.example', '/home'],
  ['/\\/elsewhere.example', '/home'],
  ['/loginx', '/home'],
])('an address from outside, %j, leads to %s', (wanted, target) => {
  expect(safeRedirect(wanted)).toBe(target)
  // What is followed stays on this origin, however the browser reads it.
  expect(new URL(`https://console.test/#${safeRedirect(wanted)}`).origin).toBe('https://console.test')
})
