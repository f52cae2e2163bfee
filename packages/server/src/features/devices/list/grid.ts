import type { GeoBounds } from '@leitstand/contract/virtualdevices'

/** Pixels of the world at zoom 0. */
const worldPixels = 512

/** Squares of a map in which devices are taken together. */
export interface Grid {
  zoom: number
  /** pixels of a square's side */
  distance: number
  /** how many squares go around the world, not always a whole number */
  squares: number
}

export interface Square {
  /** from the west */
  column: number
  /** from the north */
  row: number
}

/** The grid at a zoom of the map, with squares `distance` px wide. */
export function gridOf(zoom: number, distance: number): Grid {
  return { zoom, distance, squares: (worldPixels * 2 ** zoom) / distance }
}

/** What names a square to clients, e.g. `5_50_330_210`. */
export function clusterIdOf({ zoom, distance }: Grid, { column, row }: Square): string {
  return [zoom, distance, column, row].join('_')
}

/** The square of an id of ours; undefined when it is none. */
export function squareOf(id: string): { grid: Grid; square: Square } | undefined {
  const [zoom = Number.NaN, distance = Number.NaN, column = Number.NaN, row = Number.NaN] = id
    .split('_')
    .map(Number)
  if (!(zoom <= 22 && distance >= 10 && distance <= 500)) return undefined
  const grid = gridOf(zoom, distance)
  if (!(column <= grid.squares && row <= grid.squares)) return undefined
  return { grid, square: { column, row } }
}

/** Where the projection of the map ends; what lies beyond counts to the first and the last row. */
const latitudeMax = 85

/** A part of the world that holds all of a square and a little around it, so that rounding leaves nothing out. */
export function aroundSquare({ squares }: Grid, { column, row }: Square): GeoBounds {
  const margin = 0.001
  const longitudeAt = (columns: number) => Math.min(180, Math.max(-180, (columns / squares) * 360 - 180))
  const latitudeAt = (rows: number) =>
    (Math.atan(Math.sinh(Math.PI * (1 - (2 * rows) / squares))) * 180) / Math.PI
  const [north, south] = [latitudeAt(row - margin), latitudeAt(row + 1 + margin)]
  return {
    west: longitudeAt(column - margin),
    east: longitudeAt(column + 1 + margin),
    north: north >= latitudeMax ? 90 : Math.max(north, -latitudeMax),
    south: south <= -latitudeMax ? -90 : Math.min(south, latitudeMax),
  }
}
