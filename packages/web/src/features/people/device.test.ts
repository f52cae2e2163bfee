import { expect, test } from 'vitest'
import { deviceOf } from './device.ts'

const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

test.each([
  [chrome, 'Chrome', 'Linux', false],
  [
    `${chrome.replace('X11; Linux x86_64', 'Windows NT 10.0; Win64; x64')} Edg/140.0`,
    'Edge',
    'Windows',
    false,
  ],
  ['Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0', 'Firefox', 'Android', true],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
    'Safari',
    'iOS',
    true,
  ],
  ['curl/8.5.0', 'curl', null, false],
  ['', null, null, false],
])('%s', (userAgent, browser, system, mobile) => {
  expect(deviceOf(userAgent)).toEqual({ browser, system, mobile })
})
