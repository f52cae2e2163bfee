import { boundsOfCorners, type Corner, type Corners } from '@leitstand/contract/floors'
import type { Place } from './area.ts'
import type { MapBounds } from './MapView.tsx'

/** Metres of a degree of latitude; a plan is small enough for a plane. */
const metresPerDegree = 111_320
/** Decimals of a degree: about a centimetre. */
const digits = 7

const radians = (degrees: number) => (degrees * Math.PI) / 180

/** Metres east and north of an origin. */
type Metres = readonly [east: number, north: number]

/** A plane around an origin. */
function planeAt([lng, lat]: Corner) {
  const squeeze = Math.cos(radians(lat))
  return {
    to: ([toLng, toLat]: Corner): Metres => [
      (toLng - lng) * metresPerDegree * squeeze,
      (toLat - lat) * metresPerDegree,
    ],
    from: ([east, north]: Metres): Corner => [
      Number((lng + east / metresPerDegree / squeeze).toFixed(digits)),
      Number((lat + north / metresPerDegree).toFixed(digits)),
    ],
  }
}

const map = (corners: Corners, change: (corner: Corner) => Corner) => corners.map(change) as Corners

/** The middle of a plan. */
export function centerOf(corners: Corners): Corner {
  const mean = (at: 0 | 1) => corners.reduce((sum, corner) => sum + corner[at], 0) / 4
  return [mean(0), mean(1)]
}

/** The plan with its middle elsewhere, in the same size in metres. */
export function movedTo(corners: Corners, place: Corner): Corners {
  const [from, to] = [planeAt(centerOf(corners)), planeAt(place)]
  return map(corners, (corner) => to.from(from.to(corner)))
}

/** The plan turned around its middle, clockwise, and scaled. */
export function turned(corners: Corners, degrees: number, factor = 1): Corners {
  const plane = planeAt(centerOf(corners))
  const [sine, cosine] = [Math.sin(radians(-degrees)), Math.cos(radians(degrees))]
  return map(corners, (corner) => {
    const [east, north] = plane.to(corner)
    return plane.from([factor * (east * cosine - north * sine), factor * (east * sine + north * cosine)])
  })
}

/** The plan turned and scaled around its middle so that one of its corners lies in the direction and at the distance of a place. */
export function draggedTo(corners: Corners, index: number, place: Corner): Corners {
  const plane = planeAt(centerOf(corners))
  const [east, north] = plane.to(corners[index] as Corner)
  const [toEast, toNorth] = plane.to(place)
  const [before, after] = [Math.hypot(east, north), Math.hypot(toEast, toNorth)]
  if (before === 0 || after === 0) return corners
  const degrees = ((Math.atan2(north, east) - Math.atan2(toNorth, toEast)) * 180) / Math.PI
  return turned(corners, degrees, after / before)
}

/** The bounds of a plan as maps take them. */
export function boundsOfPlan(corners: Corners): MapBounds {
  const { northEast, southWest } = boundsOfCorners(corners)
  return {
    north: northEast.latitude,
    east: northEast.longitude,
    south: southWest.latitude,
    west: southWest.longitude,
  }
}

/** Metres of the upper edge. */
export function widthOf([left, right]: Corners): number {
  return Math.hypot(...planeAt(left).to(right))
}

/** Degrees by which the upper edge is turned clockwise, from -180 (not included) to 180. */
export function angleOf([left, right]: Corners): number {
  const [east, north] = planeAt(left).to(right)
  const degrees = (-Math.atan2(north, east) * 180) / Math.PI
  // Plus 0, because -0 is shown as such.
  return degrees < -179.999_999 ? 180 : degrees + 0
}

/** An upright plan in the middle of a place. @param aspect width by height of the picture */
export function uprightAt({ latitude, longitude }: Place, widthM: number, aspect: number): Corners {
  const plane = planeAt([longitude, latitude])
  const [right, top] = [widthM / 2, widthM / aspect / 2]
  return [
    plane.from([-right, top]),
    plane.from([right, top]),
    plane.from([right, -top]),
    plane.from([-right, -top]),
  ]
}

/** A point of the picture, from 0 to 1 from the left and from the top, and where it lies. */
export interface Match {
  x: number
  y: number
  place: Corner
}

/**
 * The plan on which three points of the picture lie where they belong.
 * @returns null if the points are on a line, or on the map in the opposite order
 */
export function matched(matches: readonly [Match, Match, Match]): Corners | null {
  const plane = planeAt(matches[0].place)
  const [a, b, c] = matches.map(({ x, y, place }) => ({ x, y, at: plane.to(place) })) as [
    { x: number; y: number; at: Metres },
    { x: number; y: number; at: Metres },
    { x: number; y: number; at: Metres },
  ]
  const across = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y)
  if (Math.abs(across) < 1e-4) return null
  /** An affine map is determined by three points. */
  const coordinate = (axis: 0 | 1) => {
    const [toB, toC] = [b.at[axis] - a.at[axis], c.at[axis] - a.at[axis]]
    const perX = (toB * (c.y - a.y) - toC * (b.y - a.y)) / across
    const perY = (toC * (b.x - a.x) - toB * (c.x - a.x)) / across
    return (x: number, y: number) => a.at[axis] + perX * (x - a.x) + perY * (y - a.y)
  }
  const [east, north] = [coordinate(0), coordinate(1)]
  const corner = (x: number, y: number) => plane.from([east(x, y), north(x, y)])
  const corners: Corners = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)]
  // From above, the lower edge is on the right of the upper one.
  const right = planeAt(corners[0]).to(corners[1])
  const down = planeAt(corners[0]).to(corners[3])
  return right[0] * down[1] - right[1] * down[0] < 0 ? corners : null
}
