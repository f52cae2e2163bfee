import type { LocalMap } from '@leitstand/contract/maps'
import { place } from '../city.ts'

/**
 * The map of the demo city: streets, buildings, a river and a park around the places of `city.ts`, all of them invented.
 * Lengths are in thousandths of a degree to the north and east of the town hall, as in `near`.
 */
export function drawMap(): LocalMap {
  const streets = [...radials(), ...rings(), ...lanes]
  return {
    type: 'FeatureCollection',
    features: [
      area('green', park, 'Stadtpark'),
      area('green', meadow),
      area('water', banks(river, 0.13), 'Mühlbach'),
      area('water', ring([5.6, 4.5], 0.32, 0.5, 18)),
      area('square', market, 'Marktplatz'),
      ...streets.map(({ kind, name, line }) => ({
        type: 'Feature' as const,
        geometry: { type: 'LineString' as const, coordinates: line.map(degrees) },
        properties: { kind, ...(name ? { name } : {}) },
      })),
      ...[...known, ...houses(streets)].map((corners) => area('building', corners)),
    ],
  }
}

/** A degree to the east in degrees to the north, at this latitude. */
const eastShare = Math.cos((place(0, 0).latitude * Math.PI) / 180)

/** North and east. */
type Point = readonly [north: number, east: number]

interface Street {
  kind: 'road' | 'street' | 'path'
  name?: string
  line: readonly Point[]
}

const park: Point[] = [
  [6.9, 3.2],
  [7.1, 5.1],
  [5.8, 6.4],
  [4.2, 6],
  [3.9, 4.1],
  [5, 3],
]
const market: Point[] = [
  [-0.3, 0.3],
  [-0.3, 1.5],
  [-0.9, 1.6],
  [-1, 0.4],
]
const meadow: Point[] = [
  [-6.3, 8.5],
  [-5.5, 5],
  [-4.8, 2.2],
  [-6, -2],
  [-6.3, -8.5],
  [-7.6, -8.5],
  [-7.4, 8.5],
]
const river: Point[] = [
  [-7.4, 9],
  [-6.2, 6.4],
  [-5.2, 4.8],
  [-5.5, 2.4],
  [-6.4, 0],
  [-6.6, -3],
  [-6.1, -6],
  [-6.9, -9],
]

/** Half axes of the outer ring, which passes the air sensor of the Ringstraße. */
const outer = [4.6, 5.05] as const
const names = [
  'Schulstraße',
  'Parkallee',
  'Marktgasse',
  'Brückenstraße',
  'Mühlweg',
  'Bahnhofstraße',
  'Gartenstraße',
  'Lindenweg',
]

function radials(): Street[] {
  const ends: Point[] = [
    [7.6, 1.6],
    [6.4, 7.6],
    [-0.5, 8.6],
    [-5.2, 4.8],
    [-7.4, 0.6],
    [-5.3, -3.3],
    [0.6, -8.6],
    [7.2, -4.6],
  ]
  return ends.map((end, at) => ({
    kind: at % 2 === 0 ? 'street' : 'road',
    name: names[at] as string,
    line: line(...[[end[0] * 0.12, end[1] * 0.12] as const, end]),
  }))
}

function rings(): Street[] {
  const around = (share: number) => closed(ring([0, 0], outer[0] * share, outer[1] * share, 48))
  return [
    { kind: 'road', name: 'Ringstraße', line: around(1) },
    { kind: 'street', name: 'Wallstraße', line: around(0.45) },
    { kind: 'street', name: 'Grünstraße', line: around(0.72) },
    { kind: 'street', line: around(0.2) },
  ]
}

const lanes: Street[] = [
  { kind: 'path', line: [park[0] as Point, [5.9, 4.6], [5, 4.2], park[4] as Point] },
  { kind: 'path', line: [park[2] as Point, [5.9, 4.6]] },
  { kind: 'path', line: river.map(([north, east]) => [north + 0.3, east] as const) },
  {
    kind: 'road',
    name: 'Landstraße',
    line: [
      [7.6, 1.6],
      [8.2, -1],
      [7.2, -4.6],
      [5, -8.8],
    ],
  },
]

/** Town hall, school, station. */
const known: Point[][] = [
  [
    [0.22, -0.3],
    [0.22, 0.3],
    [-0.2, 0.3],
    [-0.2, 0.14],
    [0.06, 0.14],
    [0.06, -0.14],
    [-0.2, -0.14],
    [-0.2, -0.3],
  ],
  [
    [4.25, 3],
    [4.25, 3.45],
    [4, 3.45],
    [4, 3.3],
    [4.12, 3.3],
    [4.12, 3],
  ],
  [
    [-5.35, -4.3],
    [-5.1, -4.4],
    [-4.8, -3],
    [-5.05, -2.9],
  ],
]

/** Rows of houses along the rings; none on streets, water, squares, in the park or in one another. */
function houses(streets: readonly Street[]): Point[][] {
  const random = randomFrom(20_261_123)
  const built: Point[][] = [...known]
  const found: Point[][] = []
  for (let share = 0.13; share < 1.55; share += 0.075) {
    const [a, b] = [outer[0] * share, outer[1] * share]
    const count = Math.round((2 * Math.PI * Math.min(a, b)) / 0.42)
    for (let at = 0; at < count; at++) {
      const angle = ((at + random() * 0.3) / count) * 2 * Math.PI
      const middle: Point = [a * Math.cos(angle), b * Math.sin(angle)]
      // Fewer houses outside of the ring.
      if (random() < (share > 1.05 ? 0.55 : 0.12)) continue
      const corners = box(
        middle,
        0.1 + random() * 0.06,
        0.13 + random() * 0.14,
        Math.atan2(-a * Math.sin(angle), b * Math.cos(angle) * eastShare),
      )
      const isFree =
        corners.every(
          (corner) =>
            !isOn(corner, streets) && !isWet(corner) && !isIn(corner, park) && !isIn(corner, market),
        ) && built.every((other) => distance(middle, middleOf(other)) > 0.34)
      if (!isFree) continue
      built.push(corners)
      found.push(corners)
    }
  }
  return found
}

const isOn = (point: Point, streets: readonly Street[]) =>
  streets.some(({ kind, line: all }) => near(point, all) < (kind === 'road' ? 0.11 : 0.085))
const isWet = (point: Point) => near(point, river) < 0.3

/** A rectangle whose width runs at `angle` from the east; lengths as to the north. */
function box([north, east]: Point, depth: number, width: number, angle: number): Point[] {
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)]
  return (
    [
      [-depth, -width],
      [-depth, width],
      [depth, width],
      [depth, -width],
    ] as const
  ).map(
    ([up, right]) =>
      [north + up * cosine + right * sine, east + (right * cosine - up * sine) / eastShare] as const,
  )
}

function ring([north, east]: Point, a: number, b: number, corners: number): Point[] {
  return Array.from({ length: corners }, (_, at) => {
    const angle = (at / corners) * 2 * Math.PI
    return [north + a * Math.cos(angle), east + b * Math.sin(angle)] as const
  })
}

const closed = (points: readonly Point[]): Point[] => [...points, points[0] as Point]

/** A slightly curved line between two points. */
function line(from: Point, to: Point): Point[] {
  return Array.from({ length: 7 }, (_, at) => {
    const share = at / 6
    const bend = Math.sin(share * Math.PI) * 0.12
    return [
      from[0] + (to[0] - from[0]) * share + bend * Math.sign(to[1]),
      from[1] + (to[1] - from[1]) * share,
    ] as const
  })
}

/** Both banks of a river. */
function banks(middle: readonly Point[], width: number): Point[] {
  const side = (sign: number) =>
    middle.map(([north, east], at) => {
      const [before, after] = [middle[at - 1] ?? middle[at], middle[at + 1] ?? middle[at]] as [Point, Point]
      const [up, right] = [after[0] - before[0], after[1] - before[1]]
      const length = Math.hypot(up, right)
      return [north + (sign * width * right) / length, east - (sign * width * up) / length] as const
    })
  return [...side(1), ...side(-1).toReversed()]
}

/** As to the north. */
const distance = (one: Point, other: Point) => Math.hypot(one[0] - other[0], (one[1] - other[1]) * eastShare)

function middleOf(points: readonly Point[]): Point {
  const mean = (axis: 0 | 1) => points.reduce((sum, point) => sum + point[axis], 0) / points.length
  return [mean(0), mean(1)]
}

/** Distance from a line. */
function near(point: Point, all: readonly Point[]): number {
  return Math.min(
    ...all.slice(1).map((to, at) => {
      const from = all[at] as Point
      const [up, right] = [to[0] - from[0], to[1] - from[1]]
      const share = ((point[0] - from[0]) * up + (point[1] - from[1]) * right) / (up ** 2 + right ** 2)
      const part = Math.min(1, Math.max(0, share))
      return distance(point, [from[0] + part * up, from[1] + part * right])
    }),
  )
}

function isIn([north, east]: Point, corners: readonly Point[]): boolean {
  return (
    closed(corners)
      .slice(1)
      .filter(([n, e], at) => {
        const [n0, e0] = corners[at] as Point
        return n > north !== n0 > north && east < e0 + ((north - n0) / (n - n0)) * (e - e0)
      }).length %
      2 ===
    1
  )
}

function area(kind: 'green' | 'water' | 'square' | 'building', corners: readonly Point[], name?: string) {
  return {
    type: 'Feature' as const,
    geometry: { type: 'Polygon' as const, coordinates: [closed(corners).map(degrees)] },
    properties: { kind, ...(name ? { name } : {}) },
  }
}

/** Longitude and latitude; six digits are a decimetre. */
const degrees = ([north, east]: Point): number[] => {
  const { latitude, longitude } = place(north, east)
  return [Number(longitude.toFixed(6)), Number(latitude.toFixed(6))]
}

/** Mulberry32: the same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
