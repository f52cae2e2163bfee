import { describe, expect, test } from 'vitest'
import { movedPolygon } from './movedPolygon.ts'

const square = (longitude: number, latitude: number, width: number) => ({
  type: 'Polygon' as const,
  coordinates: [
    [
      [longitude, latitude],
      [longitude + width, latitude],
      [longitude + width, latitude + 0.001],
      [longitude, latitude + 0.001],
      [longitude, latitude],
    ],
  ],
})

describe('a polygon', () => {
  test('moves by as many degrees along a parallel', () => {
    const moved = movedPolygon(
      square(10, 50, 0.001),
      { latitude: 50, longitude: 10 },
      { latitude: 50, longitude: 11.5 },
    )
    expect(moved).toEqual(square(11.5, 50, 0.001))
  })

  test('keeps its width in metres where the parallels are shorter', () => {
    const moved = movedPolygon(
      square(10, 0, 0.001),
      { latitude: 0, longitude: 10 },
      { latitude: 60, longitude: 10 },
    )
    expect(moved).toEqual(square(10, 60, 0.002))
  })

  test.each([
    { latitude: 50, longitude: 180 },
    { latitude: 89.9999, longitude: 0 },
  ])('cannot leave the range of coordinates: %j', (to) => {
    expect(movedPolygon(square(10, 50, 0.001), { latitude: 50, longitude: 10 }, to)).toBeNull()
  })

  test('keeps altitudes', () => {
    const polygon = { type: 'Polygon' as const, coordinates: [[[1, 2, 33]]] }
    expect(
      movedPolygon(polygon, { latitude: 2, longitude: 1 }, { latitude: 3, longitude: 1 })?.coordinates,
    ).toEqual([[[1, 3, 33]]])
  })
})
