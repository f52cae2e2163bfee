import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GeoPolygon, polygonCornersMax } from './geoPolygon.ts'

type Position = [number, number]

const closed = (corners: readonly Position[]): Position[] => [...corners, corners[0] as Position]
const polygon = (...rings: readonly (readonly Position[])[]) => ({
  type: 'Polygon' as const,
  coordinates: rings.map(closed),
})

/** Path and message of the first fault. */
function faultOf(value: unknown): string | undefined {
  const issue = GeoPolygon.safeParse(value).error?.issues[0]
  return issue && `${issue.path.join('.')} ${issue.code === 'custom' ? issue.message : issue.code}`
}

const square: Position[] = [
  [7, 51],
  [8, 51],
  [8, 52],
  [7, 52],
]
const hole: Position[] = [
  [7.2, 51.2],
  [7.4, 51.2],
  [7.4, 51.4],
]
const shift = (ring: readonly Position[], by: number) => ring.map(([x, y]): Position => [x + by, y + by])

/** Corners around a centre in the order of their angles: never crossing, whatever the distances. */
const star = (distances: readonly number[], [x, y]: Position = [7, 51]): Position[] =>
  distances.map((distance, at) => {
    const angle = (at / distances.length) * 2 * Math.PI
    return [x + distance * Math.cos(angle), y + distance * Math.sin(angle)]
  })

describe('a polygon', () => {
  test.each([
    ['a square', polygon(square)],
    ['clockwise', polygon(square.toReversed())],
    ['with a hole', polygon(square, hole)],
    ['with two holes', polygon(square, hole, shift(hole, 0.5))],
    [
      'with a corner on a straight edge',
      polygon([
        [7, 51],
        [7.5, 51],
        [8, 51],
        [8, 52],
      ]),
    ],
    ['with altitudes', { type: 'Polygon', coordinates: [closed(square).map((at) => [...at, 12])] }],
    [
      'at the edge of the world',
      polygon([
        [-180, -90],
        [180, -90],
        [180, 90],
      ]),
    ],
  ])('%s is accepted', (_name, value) => {
    expect(GeoPolygon.parse(value)).toEqual(value)
  })

  test.each([
    ['of another type', { ...polygon(square), type: 'Point' }, 'type invalid_value'],
    ['without rings', { type: 'Polygon', coordinates: [] }, 'coordinates too_small'],
    ['with a text', { type: 'Polygon', coordinates: [[[7, '51']]] }, 'coordinates.0.0.1 invalid_type'],
    [
      'with infinity',
      polygon([
        [7, 51],
        [Infinity, 51],
        [8, 52],
      ]),
      'coordinates.0.1.0 invalid_type',
    ],
    ['with four numbers', { type: 'Polygon', coordinates: [[[7, 51, 0, 0]]] }, 'coordinates.0.0 too_big'],
    [
      'too far north',
      polygon([
        [7, 51],
        [8, 51],
        [8, 520],
      ]),
      'coordinates.0.2 polygonRange',
    ],
    [
      'too far west',
      polygon(square, [
        [-181, 51],
        [8, 51],
        [8, 52],
      ]),
      'coordinates.1.0 polygonRange',
    ],
    [
      'of two corners',
      polygon([
        [7, 51],
        [8, 51],
      ]),
      'coordinates.0 polygonFew',
    ],
    ['left open', { type: 'Polygon', coordinates: [square] }, 'coordinates.0.3 polygonOpen'],
    [
      'with a corner twice',
      polygon([
        [7, 51],
        [8, 51],
        [8, 51],
        [8, 52],
      ]),
      'coordinates.0.2 polygonTwice',
    ],
    [
      'on a line',
      polygon([
        [7, 51],
        [8, 52],
        [9, 53],
      ]),
      'coordinates.0 polygonFlat',
    ],
    [
      'on one point',
      polygon([
        [7, 51],
        [8, 52],
        [7, 51],
        [8, 52],
      ]),
      'coordinates.0 polygonFlat',
    ],
    [
      'a bow tie',
      polygon([
        [7, 51],
        [8, 51],
        [7, 52],
        [8, 52.5],
      ]),
      'coordinates.0.3 polygonCrosses',
    ],
    [
      'that touches itself',
      polygon([
        [7, 51],
        [9, 51],
        [9, 52],
        [8, 51],
        [7, 52],
      ]),
      'coordinates.0.2 polygonCrosses',
    ],
    [
      'with a spike',
      polygon([
        [7, 51],
        [8, 51],
        [8, 53],
        [8, 52],
        [7, 52],
      ]),
      'coordinates.0.2 polygonCrosses',
    ],
    [
      'with a spike at its start',
      polygon([
        [7, 51],
        [8, 51],
        [8, 52],
        [9, 51],
      ]),
      'coordinates.0.3 polygonCrosses',
    ],
    ['with a hole outside', polygon(square, shift(hole, 3)), 'coordinates.1 polygonHole'],
    ['with a hole across the boundary', polygon(square, shift(hole, 0.7)), 'coordinates.1.0 polygonHole'],
    [
      'with a hole in a hole',
      polygon(square, shift(star([0.4, 0.4, 0.4, 0.4]), 0.5), shift(star([0.1, 0.1, 0.1]), 0.5)),
      'coordinates.2 polygonHole',
    ],
  ])('%s is refused', (_name, value, fault) => {
    expect(faultOf(value)).toBe(fault)
  })

  test('may have so many corners, holes included', () => {
    const around = star(Array.from({ length: polygonCornersMax }, () => 1))
    expect(faultOf(polygon(around))).toBeUndefined()
    expect(faultOf(polygon(around, star([0.1, 0.1, 0.1])))).toBe('coordinates polygonMany')
    expect(faultOf(polygon([...around, [9, 51.1]]))).toBe('coordinates polygonMany')
  })
})

const distance = fc.double({ min: 0.001, max: 20, noNaN: true })

test('of corners around a centre never crosses', () => {
  fc.assert(
    fc.property(fc.array(distance, { minLength: 3, maxLength: 40 }), (distances) => {
      expect(faultOf(polygon(star(distances)))).toBeUndefined()
    }),
  )
})

test('crosses exactly where two edges on a small grid share a point', () => {
  const grid = fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 5 }))
  fc.assert(
    fc.property(fc.uniqueArray(grid, { minLength: 3, maxLength: 8, selector: String }), (corners) => {
      const edges = closed(corners)
        .slice(1)
        .map((to, at) => [corners[at] as Position, to] as const)
      const meets = edges.some(([a, b], one) =>
        edges.some(([c, d], other) => {
          if (other <= one) return false
          const shared = other === one + 1 ? b : one === 0 && other === edges.length - 1 ? a : undefined
          return commonPoints(a, b, c, d).some((point) => String(point) !== String(shared))
        }),
      )
      const fault = faultOf(polygon(corners))
      if (fault?.endsWith('polygonFlat')) return
      expect(fault?.endsWith('polygonCrosses') ?? false).toBe(meets)
    }),
    { numRuns: 500 },
  )
})

/** Where two segments meet, found by solving for both lines: the point, or the ends of what they share. */
function commonPoints(a: Position, b: Position, c: Position, d: Position): Position[] {
  const [rx, ry, sx, sy] = [b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]]
  const across = rx * sy - ry * sx
  const [qx, qy] = [c[0] - a[0], c[1] - a[1]]
  if (across !== 0) {
    const [t, u] = [(qx * sy - qy * sx) / across, (qx * ry - qy * rx) / across]
    return t >= 0 && t <= 1 && u >= 0 && u <= 1
      ? [t === 0 ? a : t === 1 ? b : u === 0 ? c : u === 1 ? d : [NaN, NaN]]
      : []
  }
  if (qx * ry - qy * rx !== 0) return []
  const along = ([x, y]: Position) => ((x - a[0]) * rx + (y - a[1]) * ry) / (rx * rx + ry * ry)
  const within = [c, d].filter((point) => along(point) >= 0 && along(point) <= 1)
  const back = [a, b].filter((point) => {
    const at = ((point[0] - c[0]) * sx + (point[1] - c[1]) * sy) / (sx * sx + sy * sy)
    return at >= 0 && at <= 1
  })
  return [...within, ...back]
}

test('of the largest size may have pairs of edges that all overlap in one axis', () => {
  const teeth = Array.from({ length: (polygonCornersMax - 2) / 2 }, (_, at): Position[] => [
    [at / 100, 1 + (at % 2)],
    [at / 100 + 0.005, 50],
  ]).flat()
  expect(faultOf(polygon([...teeth, [3, 50], [3, 0]]))).toBeUndefined()
})
