import type { GeoPolygon } from '@leitstand/contract/geoPolygon'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { areaFrom, areaTextMax, textOf } from './areaText.ts'

const ring = [
  [7, 51],
  [8, 51.5],
  [8.25, 52],
  [7, 51],
]
const triangle: GeoPolygon = { type: 'Polygon', coordinates: [ring] }
const hole = [
  [7.9, 51.6],
  [8, 51.6],
  [8, 51.7],
  [7.9, 51.6],
]
const json = JSON.stringify(triangle)

describe('a text of coordinates', () => {
  test.each([
    ['as it is listed', '51, 7\n51.5, 8\n52, 8.25'],
    ['closed by hand', '51, 7\n51.5, 8\n52, 8.25\n51, 7'],
    ['with a line twice', '51, 7\n51, 7\n51.5, 8\n52, 8.25'],
    ['with blank lines and spaces', '\n  51,7  \r\n\n51.5 , 8\n52,8.25\n\n'],
    ['with semicolons and decimal commas', '51,0;7,0\n51,5; 8,0\n52;8,25'],
    ['with decimal commas and spaces', '51,0 7,0\n51,5 8,0\n52,0  8,25'],
    ['with tabs, of a spreadsheet', '51\t7\n51,5\t8\n52\t8,25'],
    ['with degrees', '51°, 7°\n51.5°, 8°\n52°, 8.25°'],
    ['as GeoJSON', json],
    ['as a feature', `{"type":"Feature","properties":{},"geometry":${json}}`],
    ['as a collection', `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":${json}}]}`],
  ])('%s is read', (_name, text) => {
    expect(areaFrom(text)).toEqual({ polygon: triangle })
  })

  test('that is empty is no polygon', () => {
    expect(areaFrom(' \n ')).toEqual({ polygon: null })
  })

  test.each([
    ['a word', '51, 7\nhere\n52, 8', { key: 'noPosition', line: 2 }],
    ['three numbers', '51, 7, 12', { key: 'noPosition', line: 1 }],
    ['one number', '\n51', { key: 'noPosition', line: 2 }],
    ['a point', '{"type":"Point","coordinates":[7,51]}', { key: 'noPolygon' }],
    ['two features', `{"type":"FeatureCollection","features":[${json},${json}]}`, { key: 'noPolygon' }],
    ['texts as coordinates', '{"type":"Polygon","coordinates":[[["7","51"]]]}', { key: 'noPolygon' }],
    ['half of JSON', json.slice(0, -3), { key: 'noPolygon' }],
    ['more than anybody writes', ' '.repeat(areaTextMax + 1), { key: 'tooLong' }],
  ])('of %s is not', (_name, text, fault) => {
    expect(areaFrom(text)).toEqual({ fault })
  })

  test('is written as it is read, with holes too', () => {
    expect(textOf(triangle)).toBe('51, 7\n51.5, 8\n52, 8.25')
    expect(textOf(null)).toBe('')
    const pierced = { ...triangle, coordinates: [ring, hole] }
    expect(areaFrom(textOf(pierced))).toEqual({ polygon: pierced })
    const degree = (max: number) =>
      fc.integer({ min: -max * 1e7, max: max * 1e7 }).map((value) => value / 1e7)
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(degree(180), degree(90)), { minLength: 3, maxLength: 20, selector: String }),
        (corners) => {
          const polygon: GeoPolygon = { type: 'Polygon', coordinates: [[...corners, ...corners.slice(0, 1)]] }
          expect(areaFrom(textOf(polygon))).toEqual({ polygon })
        },
      ),
    )
  })

  test('of any kind is read or refused at once', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 2000, unit: fc.constantFrom(...'0123456789.,;- \n°[]{}') }),
        (text) => {
          expect(areaFrom(text)).toBeDefined()
        },
      ),
    )
    const startMs = performance.now()
    areaFrom('1 '.repeat(areaTextMax / 2))
    areaFrom(`${' '.repeat(areaTextMax - 10)}1`)
    areaFrom('1,'.repeat(areaTextMax / 2))
    expect(performance.now() - startMs).toBeLessThan(500)
  })
})
