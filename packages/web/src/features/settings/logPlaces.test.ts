import { expect, test } from 'vitest'
import { placeOf } from './logPlaces.ts'

test('entries lead to the things that have a page', () => {
  expect(placeOf('deviceId', { deviceId: 7 })).toBe('/virtual-devices/7')
  expect(placeOf('connectorId', { accountId: 2, connectorId: 7 })).toBe('/connectors/edit/2/7')
  expect(placeOf('connectorId', { connectorId: 7 })).toBeNull()
  expect(placeOf('ruleId', { ruleId: 7 })).toBeNull()
  expect(placeOf('toString', {})).toBeNull()
})
