import type { GeoPolygon } from '@leitstand/contract/geoPolygon'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AreaGrid } from './areaGrid.ts'
import { boundsAround, metresToEdge, type Place, type Shape, shapeOf } from './distance.ts'
import { metresBetween } from './metres.ts'

type Corner = [longitude: number, latitude: number]
const polygon = (...rings: Corner[][]): GeoPolygon => ({
  type: 'Polygon',
  coordinates: rings.map((ring) => [...ring, ...ring.slice(0, 1)]),
})
const square = (west: number, south: number, size: number): Corner[] => [
  [west, south],
  [west + size, south],
  [west + size, south + size],
  [west, south + size],
]
const at = (latitude: number, longitude: number): Place => ({ latitude, longitude })

describe('metres', () => {
  it('to a circle', () => {
    const circle: Shape = { kind: 'circle', latitude: 54, longitude: 10, radius: 500 }
    expect(metresToEdge(at(54, 10), circle)).toBe(-500)
    expect(metresToEdge(at(54.01, 10), circle)).toBeCloseTo(612, 0)
  })

  it('to a polygon with a hole', () => {
    const shape = shapeOf(polygon(square(10, 0, 0.1), square(10.04, 0.04, 0.02)))
    expect(metresToEdge(at(0.02, 10.05), shape)).toBeCloseTo(-2224, 0)
    expect(metresToEdge(at(0.05, 10.05), shape)).toBeCloseTo(1112, 0)
    expect(metresToEdge(at(0.05, 10.12), shape)).toBeCloseTo(2224, 0)
    // Its corner is nearest.
    expect(metresToEdge(at(-0.03, 9.96), shape)).toBeCloseTo(5560, -1)
    expect(metresToEdge(at(0, 10.05), shape)).toBeCloseTo(0, 6)
  })

  it('to a polygon on the other side of the 180th meridian', () => {
    const east = shapeOf(polygon(square(179.8, 0, 0.1)))
    expect(metresToEdge(at(0.05, -179.95), east)).toBeCloseTo(16_679, 0)
    const west = shapeOf(polygon(square(-179.9, 0, 0.1)))
    expect(metresToEdge(at(0.05, 179.95), west)).toBeCloseTo(16_679, 0)
    expect(metresToEdge(at(0.05, -179.85), west)).toBeLessThan(0)
    const world = shapeOf(
      polygon([
        [-180, -80],
        [180, -80],
        [180, 80],
        [-180, 80],
      ]),
    )
    expect(metresToEdge(at(0, 179.99), world)).toBeLessThan(0)
    expect(metresToEdge(at(0, -179.99), world)).toBeLessThan(0)
  })
})

const radians = (degrees: number) => (degrees * Math.PI) / 180

/** A star around a place, with a hole or without. */
const star = fc
  .record({
    latitude: fc.double({ min: -70, max: 70, noNaN: true }),
    longitude: fc.oneof(fc.double({ min: -170, max: 170, noNaN: true }), fc.constantFrom(179.7, -179.7)),
    size: fc.double({ min: 0.0005, max: 0.2, noNaN: true }),
    reaches: fc.array(fc.double({ min: 0.3, max: 1, noNaN: true }), { minLength: 3, maxLength: 12 }),
    hasHole: fc.boolean(),
  })
  .map(({ latitude, longitude, size, reaches, hasHole }) => {
    const ring = (part: number) =>
      reaches.map((reach, index): Corner => {
        const angle = (index / reaches.length) * 2 * Math.PI
        return [
          longitude + Math.cos(angle) * size * reach * part,
          latitude + Math.sin(angle) * size * reach * part,
        ]
      })
    return {
      centre: at(latitude, longitude),
      size,
      area: hasHole ? polygon(ring(1), ring(0.5)) : polygon(ring(1)),
    }
  })
const offset = fc.tuple(
  fc.double({ min: -2, max: 2, noNaN: true }),
  fc.double({ min: -2, max: 2, noNaN: true }),
)

const samples = 400

/** The least of the distances to many places on the edge, and the sum of the angles under which the sides are seen. */
function bruteForce(place: Place, { coordinates }: GeoPolygon) {
  let least = Number.POSITIVE_INFINITY
  let gap = 0
  let windings = 0
  for (const ring of coordinates) {
    let turned = 0
    for (let index = 1; index < ring.length; index++) {
      const [x1 = 0, y1 = 0] = ring[index - 1] ?? []
      const [x2 = 0, y2 = 0] = ring[index] ?? []
      const from = Math.atan2(y1 - place.latitude, x1 - place.longitude)
      const to = Math.atan2(y2 - place.latitude, x2 - place.longitude)
      turned += Math.atan2(Math.sin(to - from), Math.cos(to - from))
      gap = Math.max(gap, metresBetween(at(y1, x1), at(y2, x2)) / samples)
      for (let step = 0; step <= samples; step++) {
        const part = step / samples
        least = Math.min(least, metresBetween(place, at(y1 + part * (y2 - y1), x1 + part * (x2 - x1))))
      }
    }
    windings += Math.round(turned / (2 * Math.PI))
  }
  return { least, gap, isInside: windings % 2 !== 0 }
}

describe('any polygon', () => {
  it('is as far away as brute force says', () => {
    fc.assert(
      fc.property(star, offset, ({ centre, size, area }, [north, east]) => {
        const longitude = centre.longitude + east * size
        const place = at(
          centre.latitude + north * size,
          longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude,
        )
        const { least, gap, isInside } = bruteForce(place, area)
        const metres = metresToEdge(place, shapeOf(area))
        expect(Math.abs(Math.abs(metres) - least)).toBeLessThanOrEqual(0.5 + gap + least * 0.01)
        if (least > 0.5 + gap) expect(metres < 0).toBe(isInside)
      }),
      { numRuns: 300 },
    )
  })

  it('is found where it is near enough', () => {
    const reach = fc.double({ min: 0, max: 100_000, noNaN: true })
    fc.assert(
      fc.property(
        star,
        offset,
        reach,
        fc.boolean(),
        ({ centre, size, area }, [north, east], metres, isCircle) => {
          const shape: Shape = isCircle ? { kind: 'circle', ...centre, radius: size * 50_000 } : shapeOf(area)
          const grid = new AreaGrid<string>()
          grid.set('area', boundsAround(shape, metres))
          const degrees = size + metres / 111_000
          const scaled = (east * degrees) / Math.cos(radians(centre.latitude))
          const longitude = ((((centre.longitude + scaled + 180) % 360) + 360) % 360) - 180
          const place = at(Math.max(-90, Math.min(90, centre.latitude + north * degrees)), longitude)
          if (metresToEdge(place, shape) <= metres) expect(grid.at(place)).toEqual(['area'])
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
