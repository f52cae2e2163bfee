import { expect, test } from 'vitest'
import { placeOf } from './logPlaces.ts'

test('entries lead to the things that have a page', () => {
  expect(placeOf('deviceId', { deviceId: 7 })).toBe('/virtual-devices/7')
  expect(placeOf('connectorId', { accountId: 2, connectorId: 7 })).toBe('/connectors/edit/2/7')
  expect(placeOf('connectorId', { connectorId: 7 })).toBeNull()
  expect(placeOf('userId', { accountId: 2, userId: 7 })).toBe('/account-mgmt/user/2/7')
  expect(placeOf('userId', { userId: 7 })).toBeNull()
  expect(placeOf('jobId', { jobId: 7 })).toBe('/background-jobs?job=7')
  expect(placeOf('ruleId', { ruleId: 7 })).toBeNull()
  expect(placeOf('toString', {})).toBeNull()
})
