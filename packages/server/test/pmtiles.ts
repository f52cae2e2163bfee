import { gzipSync } from 'node:zlib'

/** A tile of a test file; its content is what a browser gets after unpacking it. */
export interface TestTile {
  z: number
  x: number
  y: number
  data: Uint8Array
}

interface Options {
  /** whether index and tiles are packed with gzip */
  gzip?: boolean
  /** west, south, east, north */
  bounds?: readonly [number, number, number, number]
  /** 1: vector tiles, 2: PNG */
  tileType?: number
  version?: number
}

const headerBytes = 127

/** A file of the format PMTiles, version 3: https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md */
export function pmtilesOf(tiles: readonly TestTile[], options: Options = {}): Buffer {
  const { gzip = true, bounds = [-180, -85, 180, 85], tileType = 1, version = 3 } = options
  const packed = (bytes: Uint8Array) => (gzip ? gzipSync(bytes) : Buffer.from(bytes))
  const sorted = tiles
    .map(({ z, x, y, data }) => ({ id: tileId(z, x, y), z, data: packed(data) }))
    .sort((one, other) => one.id - other.id)
  const content = Buffer.concat(sorted.map(({ data }) => data))
  const index = packed(directoryOf(sorted))
  const metadata = packed(Buffer.from('{}'))
  const zooms = sorted.map(({ z }) => z)
  const header = Buffer.alloc(headerBytes)
  header.write('PMTiles', 0, 'latin1')
  header[7] = version
  const metadataAt = headerBytes + index.length
  const tilesAt = metadataAt + metadata.length
  const sizes = [headerBytes, index.length, metadataAt, metadata.length, tilesAt, 0, tilesAt, content.length]
  for (const [at, value] of [...sizes, sorted.length, sorted.length, sorted.length].entries())
    header.writeBigUInt64LE(BigInt(value), 8 + 8 * at)
  header[96] = 1
  header[97] = gzip ? 2 : 1
  header[98] = gzip ? 2 : 1
  header[99] = tileType
  header[100] = Math.min(...zooms)
  header[101] = Math.max(...zooms)
  for (const [at, degrees] of bounds.entries()) header.writeInt32LE(Math.round(degrees * 1e7), 102 + 4 * at)
  return Buffer.concat([header, index, metadata, content])
}

/** Ids as differences, then run lengths, lengths, and offsets plus one, all as varints. */
function directoryOf(tiles: readonly { id: number; data: Buffer }[]): Buffer {
  let offset = 0
  const offsets = tiles.map(({ data }) => {
    offset += data.length
    return offset - data.length + 1
  })
  const steps = tiles.map(({ id }, at) => id - (tiles[at - 1]?.id ?? 0))
  return varints([
    tiles.length,
    ...steps,
    ...tiles.map(() => 1),
    ...tiles.map(({ data }) => data.length),
    ...offsets,
  ])
}

/** The number of a tile: all tiles of lower zooms, then its place on the Hilbert curve of its zoom. */
function tileId(z: number, x: number, y: number): number {
  let id = (4 ** z - 1) / 3
  let [left, top] = [x, y]
  for (let size = 2 ** (z - 1); size >= 1; size /= 2) {
    const right = (left & size) > 0 ? 1 : 0
    const down = (top & size) > 0 ? 1 : 0
    id += size * size * ((3 * right) ^ down)
    if (down === 0) {
      if (right === 1) {
        left = size - 1 - left
        top = size - 1 - top
      }
      ;[left, top] = [top, left]
    }
  }
  return id
}

function varints(values: readonly number[]): Buffer {
  const bytes: number[] = []
  for (const value of values) {
    let rest = value
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
    bytes.push(rest)
  }
  return Buffer.from(bytes)
}
