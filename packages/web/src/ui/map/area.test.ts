import { GeoPolygon } from '@leitstand/contract/geoPolygon'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  boundsOfArea,
  circleAround,
  cornersOf,
  followed,
  isSame,
  type Place,
  radiusOf,
  roundedArea,
  squareMetres,
  withoutCorner,
} from './area.ts'

/** Away from the poles and the date line, where a circle leaves the range of coordinates. */
const place = fc.record({
  latitude: fc.double({ min: -80, max: 80, noNaN: true }),
  longitude: fc.double({ min: -175, max: 175, noNaN: true }),
})
const radiusM = fc.integer({ min: 1, max: 50_000 })

const earthRadius = 6_371_008.8
const rad = (degrees: number) => (degrees * Math.PI) / 180

/** Haversine. */
function metresBetween(one: Place, [lon = 0, lat = 0]: readonly number[]): number {
  const [dLat, dLon] = [rad(lat - one.latitude), rad(lon - one.longitude)]
  const h =
    Math.sin(dLat / 2) ** 2 + Math.cos(rad(one.latitude)) * Math.cos(rad(lat)) * Math.sin(dLon / 2) ** 2
  return 2 * earthRadius * Math.asin(Math.sqrt(h))
}

describe('a circle', () => {
  test('has all corners at its radius, and is accepted', () => {
    fc.assert(
      fc.property(place, radiusM, (centre, radius) => {
        const circle = circleAround(centre, radius)
        for (const corner of cornersOf(circle))
          expect(Math.abs(metresBetween(centre, corner) - radius)).toBeLessThan(0.02)
        expect(GeoPolygon.safeParse(circle).success).toBe(true)
        const ideal = Math.PI * radius ** 2
        expect(Math.abs(squareMetres(circle) - ideal)).toBeLessThan(ideal * 0.05 + 1)
      }),
    )
  })

  test('is known by its marker, and only by that', () => {
    fc.assert(
      fc.property(place, radiusM, (centre, radius) => {
        const circle = circleAround(centre, radius)
        expect(radiusOf(circle, centre)).toBe(radius)
        expect(radiusOf(circle, { ...centre, longitude: centre.longitude + 0.001 })).toBeNull()
        expect(radiusOf(withoutCorner(circle, 3) as GeoPolygon, centre)).toBeNull()
      }),
    )
  })

  test('follows its marker, back and forth; another polygon stays', () => {
    fc.assert(
      fc.property(place, place, radiusM, (from, to, radius) => {
        const circle = circleAround(from, radius)
        const moved = followed(circle, from, to)
        expect(moved).toEqual(circleAround(to, radius))
        expect(isSame(followed(moved, to, from), circle)).toBe(true)
        const cut = withoutCorner(circle, 0)
        expect(followed(cut, from, to)).toBe(cut)
      }),
    )
    expect(followed(null, { latitude: 0, longitude: 0 }, { latitude: 1, longitude: 1 })).toBeNull()
  })

  test('survives being stored', () => {
    const centre = { latitude: 50.9812, longitude: 11.0325 }
    const stored = JSON.parse(JSON.stringify(circleAround(centre, 75))) as GeoPolygon
    expect(radiusOf(stored, centre)).toBe(75)
  })
})

const square: GeoPolygon = {
  type: 'Polygon',
  coordinates: [
    [
      [7, 51],
      [7.01, 51],
      [7.01, 51.01],
      [7, 51.01],
      [7, 51],
    ],
  ],
}

test('the area of a square is its sides multiplied', () => {
  const sides = [rad(0.01) * earthRadius, rad(0.01) * earthRadius * Math.cos(rad(51.005))] as const
  expect(squareMetres(square) / (sides[0] * sides[1])).toBeCloseTo(1, 4)
  const [ring = []] = square.coordinates
  const hole = ring.map(([x = 0, y = 0]) => [7.002 + (x - 7) / 2, 51.002 + (y - 51) / 2])
  const cut = { ...square, coordinates: [ring, hole.toReversed()] }
  expect(squareMetres(cut) / squareMetres(square)).toBeCloseTo(0.75, 3)
})

test('a corner is removed, the first one too, but three remain', () => {
  const first = withoutCorner(square, 0)
  expect(first?.coordinates).toEqual([
    [
      [7.01, 51],
      [7.01, 51.01],
      [7, 51.01],
      [7.01, 51],
    ],
  ])
  expect(withoutCorner(first as GeoPolygon, 1)).toBeNull()
})

test('bounds hold all corners', () => {
  expect(boundsOfArea(square)).toEqual({ west: 7, south: 51, east: 7.01, north: 51.01 })
  expect(boundsOfArea({ type: 'Polygon', coordinates: [] })).toBeUndefined()
})

test('coordinates are stored to the centimetre', () => {
  const precise = {
    ...square,
    coordinates: [
      [
        [7.123456789, 51],
        [8, 51.00000004],
      ],
    ],
  }
  expect(roundedArea(precise).coordinates).toEqual([
    [
      [7.1234568, 51],
      [8, 51],
    ],
  ])
})
