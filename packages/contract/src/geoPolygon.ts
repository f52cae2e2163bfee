import * as z from 'zod'

/** Maximum corners of a polygon, those of its holes included. */
export const polygonCornersMax = 500
/** Maximum rings: the boundary and its holes. */
const ringsMax = 50
/** In square degrees; less than a sheet of paper at the equator. */
const areaMin = 1e-12

/** A polygon as GeoJSON, in answers: `[longitude, latitude]`, the boundary first, then its holes. */
export const StoredPolygon = z.object({
  type: z.literal('Polygon'),
  coordinates: z.array(z.array(z.array(z.number()))),
})
export type GeoPolygon = z.infer<typeof StoredPolygon>

/** A polygon as GeoJSON, in requests: closed rings without crossings, within the range of coordinates. */
export const GeoPolygon = z
  .object({
    type: z.literal('Polygon'),
    // An altitude is allowed, as in GeoJSON.
    coordinates: z
      .array(z.array(z.array(z.number()).min(2).max(3)))
      .min(1)
      .max(ringsMax),
  })
  .superRefine((polygon, context) => {
    const fault = faultOf(polygon)
    if (fault)
      context.addIssue({ code: 'custom', message: fault.message, path: ['coordinates', ...fault.path] })
  })

/** Whether a zone has no polygon: geofences need one. */
export function lacksPolygon({ type, geoPolygon }: { type: string; geoPolygon: unknown }): boolean {
  return type === 'zone' && geoPolygon === null
}

export type PolygonFault =
  | 'polygonMany'
  | 'polygonFew'
  | 'polygonRange'
  | 'polygonOpen'
  | 'polygonTwice'
  | 'polygonFlat'
  | 'polygonCrosses'
  | 'polygonHole'

type Position = readonly number[]
type Ring = readonly Position[]

interface Found {
  message: PolygonFault
  /** below the coordinates: ring, position */
  path: number[]
}

/** The first fault of a polygon. At most `polygonCornersMax`² / 2 pairs of edges are compared: a few milliseconds. */
function faultOf({ coordinates }: GeoPolygon): Found | undefined {
  const corners = coordinates.reduce((sum, ring) => sum + ring.length - 1, 0)
  if (corners > polygonCornersMax) return { message: 'polygonMany', path: [] }
  for (const [index, ring] of coordinates.entries()) {
    const fault = faultOfRing(ring)
    if (fault) return { ...fault, path: [index, ...fault.path] }
  }
  return crossing(coordinates) ?? misplacedHole(coordinates)
}

function faultOfRing(ring: Ring): Found | undefined {
  const outside = ring.findIndex(([lon = 0, lat = 0]) => Math.abs(lon) > 180 || Math.abs(lat) > 90)
  if (outside >= 0) return { message: 'polygonRange', path: [outside] }
  if (ring.length < 4) return { message: 'polygonFew', path: [] }
  if (!isSame(ring[0], ring.at(-1))) return { message: 'polygonOpen', path: [ring.length - 1] }
  const repeated = ring.findIndex((position, at) => at > 0 && isSame(position, ring[at - 1]))
  if (repeated >= 0) return { message: 'polygonTwice', path: [repeated] }
  if (spread(ring) < areaMin) return { message: 'polygonFlat', path: [] }
  return undefined
}

/**
 * The triangles from the first corner to each edge, in square degrees: nothing if all corners are in a line. Unlike the
 * area, it does not vanish where parts of a ring run the other way round.
 */
function spread(ring: Ring): number {
  const [x0 = 0, y0 = 0] = ring[0] ?? []
  return edgesOf([ring]).reduce(
    (sum, { x1, y1, x2, y2 }) => sum + Math.abs((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)) / 2,
    0,
  )
}

interface Edge {
  x1: number
  y1: number
  x2: number
  y2: number
  ring: number
  at: number
  /** of its ring */
  edges: number
}

function edgesOf(rings: readonly Ring[]): Edge[] {
  return rings.flatMap((ring, index) =>
    ring.slice(1).map(([x2 = 0, y2 = 0], at) => {
      const [x1 = 0, y1 = 0] = ring[at] ?? []
      return { x1, y1, x2, y2, ring: index, at, edges: ring.length - 1 }
    }),
  )
}

function crossing(rings: readonly Ring[]): Found | undefined {
  const edges = edgesOf(rings)
  for (const [index, one] of edges.entries()) {
    for (let other = index + 1; other < edges.length; other++) {
      const two = edges[other] as Edge
      if (!doTouch(one, two)) continue
      const message = one.ring === two.ring ? 'polygonCrosses' : 'polygonHole'
      return { message, path: [two.ring, two.at] }
    }
  }
  return undefined
}

/** Neighbours share a corner and may only not run back over each other; other edges must not meet at all. */
function doTouch(one: Edge, two: Edge): boolean {
  if (one.ring === two.ring) {
    if (two.at === one.at + 1) return isSpike(one, two)
    if (one.at === 0 && two.at === two.edges - 1) return isSpike(two, one)
  }
  const from = turn(one, two.x1, two.y1)
  const to = turn(one, two.x2, two.y2)
  if (from * to > 0) return false
  const start = turn(two, one.x1, one.y1)
  const end = turn(two, one.x2, one.y2)
  if (start * end > 0) return false
  return (
    (from * to < 0 && start * end < 0) ||
    (from === 0 && isWithin(two.x1, two.y1, one)) ||
    (to === 0 && isWithin(two.x2, two.y2, one)) ||
    (start === 0 && isWithin(one.x1, one.y1, two)) ||
    (end === 0 && isWithin(one.x2, one.y2, two))
  )
}

/** The second edge starts where the first one ends, and turns back over it. */
function isSpike(first: Edge, second: Edge): boolean {
  const ahead =
    (first.x2 - first.x1) * (second.x2 - second.x1) + (first.y2 - first.y1) * (second.y2 - second.y1)
  return turn(first, second.x2, second.y2) === 0 && ahead < 0
}

/** On which side of an edge a point is: 1 left, -1 right, 0 on its line. */
function turn({ x1, y1, x2, y2 }: Edge, x: number, y: number): number {
  return Math.sign((x2 - x1) * (y - y1) - (y2 - y1) * (x - x1))
}

/** Whether a point on the line of an edge is on the edge itself. */
function isWithin(x: number, y: number, { x1, y1, x2, y2 }: Edge): boolean {
  return Math.min(x1, x2) <= x && x <= Math.max(x1, x2) && Math.min(y1, y2) <= y && y <= Math.max(y1, y2)
}

/** A hole that is outside of the boundary or in another hole; rings that meet were found before. */
function misplacedHole([boundary, ...holes]: readonly Ring[]): Found | undefined {
  const at = holes.findIndex((hole, index) => {
    const [corner] = hole
    if (!boundary || !corner) return true
    return (
      !isInside(corner, boundary) ||
      holes.some((other, number) => number !== index && isInside(corner, other))
    )
  })
  return at < 0 ? undefined : { message: 'polygonHole', path: [at + 1] }
}

/** A ray to the east crosses the ring an odd number of times. */
function isInside([x = 0, y = 0]: Position, ring: Ring): boolean {
  const crossed = edgesOf([ring]).filter(
    ({ x1, y1, x2, y2 }) => y1 > y !== y2 > y && x < x1 + ((y - y1) * (x2 - x1)) / (y2 - y1),
  )
  return crossed.length % 2 === 1
}

function isSame(one: Position | undefined, other: Position | undefined): boolean {
  return one !== undefined && other !== undefined && one[0] === other[0] && one[1] === other[1]
}
