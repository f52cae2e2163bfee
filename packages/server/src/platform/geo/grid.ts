import type { GeoBounds } from '@leitstand/contract/geo'

/** Pixels of the world at zoom 0. */
const worldPixels = 512

/** Grid of map squares for clustering what is on a map. */
export interface Grid {
  zoom: number
  /** side length of a square in pixels */
  distance: number
  /** number of squares around the world, not always an integer */
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

/** Id of a square for clients, e.g. `5_50_330_210`. */
export function clusterIdOf({ zoom, distance }: Grid, { column, row }: Square): string {
  return [zoom, distance, column, row].join('_')
}

/** Parses a cluster id; undefined if it is invalid. */
export function squareOf(id: string): { grid: Grid; square: Square } | undefined {
  const [zoom = Number.NaN, distance = Number.NaN, column = Number.NaN, row = Number.NaN] = id
    .split('_')
    .map(Number)
  if (!(zoom <= 22 && distance >= 10 && distance <= 500)) return undefined
  const grid = gridOf(zoom, distance)
  if (!(column <= grid.squares && row <= grid.squares)) return undefined
  return { grid, square: { column, row } }
}

/** Latitude limit of the map projection; positions beyond it belong to the first or last row. */
const latitudeMax = 85

/** Bounds of a square with a small margin against rounding errors. */
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
