import i18next from 'i18next'
import { expect, test } from 'vitest'
import { keyOf, nameOf } from './places.ts'

test('a place is told apart by its time and called by it', async () => {
  await i18next.init({ lng: 'de', resources: {} })
  const time = '2026-11-20T12:00:00Z'
  const place = { time, until: time, latitude: 53.5, longitude: 10 }
  expect(keyOf(place)).toBe(time)
  expect(nameOf(place)).toMatch(/^20\.11\.2026/)
})
