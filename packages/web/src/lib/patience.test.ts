import { expect, test } from 'vitest'
import { patienceFor } from './patience.ts'

test.each([
  ['GET', '/virtualdevice?limit=20', 25_000],
  ['GET', '/virtualdevice/geo-clusters?zoom=3', 25_000],
  ['GET', '/virtualdevice/geo-clusters/break-open/7', 25_000],
  ['DELETE', '/virtualdevice/7?delete_remotely=true', 30_000],
  ['POST', '/time-series/search-aggregated', 30_000],
  ['GET', '/user?limit=20', 45_000],
  ['POST', '/upload/v2/post', 50_000],
  ['GET', '/virtualdevice/7', 60_000],
  ['DELETE', '/user/7', 60_000],
  ['GET', '/alarm-logs', 60_000],
])('%s %s is waited for so long', (method, path, ms) => {
  expect(patienceFor({ method, url: `https://leitstand.example.org/api${path}` })).toBe(ms)
})
