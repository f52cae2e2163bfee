import i18next from 'i18next'
import { afterAll, beforeAll, expect, test } from 'vitest'
import en from '../../../locales/en.json'
import { areaError, areaFaults, areaWords, shapeFault } from './areaValues.ts'

beforeAll(() => i18next.init({ lng: 'en', resources: { en: { translation: en } } }))
// Other files of the same worker expect the default.
afterAll(() => i18next.changeLanguage('de'))

const polygon = (...corners: [number, number][]) => ({
  type: 'Polygon' as const,
  coordinates: [[...corners, ...corners.slice(0, 1)]],
})
const triangle = polygon([7, 51], [8, 51], [8, 52])
const values = { type: 'room', geoPolygon: triangle, areaText: null }

test('a zone needs a polygon, other twins do not', () => {
  expect(areaFaults(values)).toEqual({})
  expect(areaFaults({ ...values, geoPolygon: null })).toEqual({})
  expect(areaFaults({ ...values, type: 'zone' })).toEqual({})
  expect(areaFaults({ ...values, type: 'zone', geoPolygon: null })).toEqual({
    geoPolygon: 'A twin of type zone needs a geo polygon for geofences.',
  })
})

test('what cannot be read or saved says so at the field', () => {
  const crossing = { ...values, geoPolygon: polygon([7, 51], [8, 51], [7, 52], [8, 52.5]) }
  expect(areaFaults(crossing)).toEqual({ geoPolygon: 'The boundary crosses or touches itself.' })
  expect(shapeFault({ ...values, areaText: '51, 7\nhere' })).toMatch(/^Line 2: /)
  expect(shapeFault({ ...values, areaText: '{' })).toBe('This is not GeoJSON with exactly one polygon.')
})

test('an error of one corner is shown at the field', () => {
  expect(areaError({ 'geoPolygon.coordinates.0.3': 'crossing', title: 'missing' })).toBe('crossing')
  expect(areaError({ geoPolygon: 'none', 'geoPolygon.coordinates': 'crossing' })).toBe('none')
  expect(areaError({ title: 'missing' })).toBeUndefined()
})

test.each([
  [4.25, '4.3 m²'],
  [7841.6, '7,842 m²'],
  [64_000, '6.4 ha'],
  [12_340_000, '12.3 km²'],
])('%s square metres are written as %s', (area, words) => {
  expect(areaWords(area)).toBe(words)
})
