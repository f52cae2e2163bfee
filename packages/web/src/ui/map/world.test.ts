import { describe, expect, test } from 'vitest'
import { unwrapped } from './world.ts'

const polygon = (...ring: GeoJSON.Position[]): GeoJSON.Feature => ({
  type: 'Feature',
  properties: {},
  geometry: { type: 'Polygon', coordinates: [ring] },
})
const worldOf = (...features: GeoJSON.Feature[]): GeoJSON.FeatureCollection => ({
  type: 'FeatureCollection',
  features,
})
const ringOf = (feature: GeoJSON.Feature | undefined) =>
  feature?.geometry.type === 'Polygon' ? feature.geometry.coordinates[0] : undefined

describe('outlines across the date line', () => {
  test('go on beyond 180° to the east and come back', () => {
    const [country] = unwrapped(worldOf(polygon([178, 60], [-179, 61], [-178, 62], [178, 60]))).features
    expect(ringOf(country)).toEqual([
      [178, 60],
      [181, 61],
      [182, 62],
      [178, 60],
    ])
  })

  test('go on beyond -180° to the west', () => {
    const [country] = unwrapped(worldOf(polygon([-178, 60], [179, 61], [-178, 60]))).features
    expect(ringOf(country)).toEqual([
      [-178, 60],
      [-181, 61],
      [-178, 60],
    ])
  })

  test('stay as they are elsewhere and around a pole', () => {
    const inland = polygon([7, 51], [8, 51], [8, 52], [7, 51])
    const pole = polygon([-180, -60], [180, -60], [180, -90], [-180, -90], [-180, -60])
    expect(unwrapped(worldOf(inland, pole)).features).toEqual([inland, pole])
  })

  test('every part of a country is treated, and what has no outline is left alone', () => {
    const islands: GeoJSON.Feature = {
      type: 'Feature',
      properties: { name: 'Fiji' },
      geometry: {
        type: 'MultiPolygon',
        coordinates: [
          [
            [
              [179, -17],
              [-179, -17],
            ],
          ],
          [
            [
              [177, -18],
              [178, -18],
            ],
          ],
        ],
      },
    }
    const place: GeoJSON.Feature = {
      type: 'Feature',
      properties: {},
      geometry: { type: 'Point', coordinates: [179, 0] },
    }
    const [first, second] = unwrapped(worldOf(islands, place)).features
    expect(first).toEqual({
      ...islands,
      geometry: {
        type: 'MultiPolygon',
        coordinates: [
          [
            [
              [179, -17],
              [181, -17],
            ],
          ],
          [
            [
              [177, -18],
              [178, -18],
            ],
          ],
        ],
      },
    })
    expect(second).toBe(place)
  })
})
