import { expect, it } from 'vitest'
import { movedTo } from './drag.ts'

it('moves one point and leaves the others', () => {
  const point = (id: string, x: number): GeoJSON.Feature => ({
    type: 'Feature',
    properties: { id },
    geometry: { type: 'Point', coordinates: [x, 0] },
  })
  const before: GeoJSON.FeatureCollection = {
    type: 'FeatureCollection',
    features: [point('1', 1), point('2', 2)],
  }
  const after = movedTo(before, '2', { lng: 12.5, lat: 51 })
  expect(after.features[0]).toBe(before.features[0])
  expect(after.features[1]).toEqual({
    ...point('2', 2),
    geometry: { type: 'Point', coordinates: [12.5, 51] },
  })
})
