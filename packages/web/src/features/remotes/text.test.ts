import i18next from 'i18next'
import { beforeAll, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import { shown } from './text.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

const thing = { description: 'Flur, 2. OG', latitude: 53.55, longitude: 9.993_456_78 }

test.each([
  ['title', 'Zähler 7'],
  ['description', 'Flur, 2. OG'],
  ['position', '53,55, 9,99346'],
] as const)('the %s of a device at the network server', (field, text) => {
  expect(shown(field, thing, 'Zähler 7', i18next.t)).toBe(text)
})

test.each([
  [{ latitude: null }, de.devices.sync.nowhere],
  [{ longitude: null }, de.devices.sync.nowhere],
  [{ latitude: 0, longitude: 0 }, '0, 0'],
])('its position with %j', (change, text) => {
  expect(shown('position', { ...thing, ...change }, '', i18next.t)).toBe(text)
})
