import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundsAround } from './bounds.ts'

test('hold every place and no more', () => {
  const place = fc.record({
    latitude: fc.double({ min: -90, max: 90, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  })
  fc.assert(
    fc.property(fc.array(place, { minLength: 1, maxLength: 50 }), (places) => {
      const bounds = boundsAround(places)
      const [latitudes, longitudes] = [
        places.map((each) => each.latitude),
        places.map((each) => each.longitude),
      ]
      expect(bounds?.north).toBe(Math.max(...latitudes))
      expect(bounds?.south).toBe(Math.min(...latitudes))
      expect(bounds?.east).toBe(Math.max(...longitudes))
      expect(bounds?.west).toBe(Math.min(...longitudes))
    }),
  )
})

test('of a long track are found, of none are missing', () => {
  const track = Array.from({ length: 200_000 }, (_, index) => ({ latitude: 51 + index / 1e6, longitude: 7 }))
  expect(boundsAround(track)).toEqual({ west: 7, east: 7, south: 51, north: 51.199999 })
  expect(boundsAround([])).toBeUndefined()
})
