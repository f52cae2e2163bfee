import { closeSync, openSync, readSync, statSync } from 'node:fs'
import type { MapTiles } from '@leitstand/contract/maps'
import { bytesToHeader, Compression, type Header, TileType } from 'pmtiles'
import { messageOf } from './platform/errors.ts'

/** The first part of a file, which is as long in every file of this format. */
const headerBytes = 127

/** A file of map tiles that was found usable. */
export interface TileFile {
  path: string
  header: Header
  /** what the console needs to know */
  tiles: MapTiles
}

/**
 * Checks the map tiles of an installation.
 * @param path of a PMTiles file
 * @returns the file, or what is wrong with it
 */
export function readMapTiles(path: string): { file: TileFile } | { problem: string } {
  try {
    const { size, mtimeMs } = statSync(path)
    const header = headerOf(path)
    if (typeof header === 'string') return { problem: `MAP_TILES ${header}` }
    if (header.tileDataOffset + (header.tileDataLength ?? 0) > size)
      return { problem: 'MAP_TILES must be a complete file: this one ends before its tiles' }
    const { minZoom, maxZoom, minLon: west, minLat: south, maxLon: east, maxLat: north } = header
    // Browsers keep tiles for long, and ask again if the file is another one.
    const version = `${size.toString(36)}-${Math.round(mtimeMs).toString(36)}`
    return {
      file: {
        path,
        header,
        tiles: { version, minZoom, maxZoom, bounds: { west, south, east, north } },
      },
    }
  } catch (error) {
    return { problem: `MAP_TILES must be a PMTiles file: ${messageOf(error)}` }
  }
}

/** @returns the header, or what the setting must be */
function headerOf(path: string): Header | string {
  const bytes = Buffer.alloc(headerBytes)
  const file = openSync(path, 'r')
  try {
    const read = readSync(file, bytes, 0, headerBytes, 0)
    if (read < headerBytes || bytes.toString('latin1', 0, 7) !== 'PMTiles')
      return 'must be a PMTiles file: this one has another format'
  } finally {
    closeSync(file)
  }
  if (bytes[7] !== 3) return `must be a PMTiles file of version 3: this one has version ${bytes[7]}`
  const header = bytesToHeader(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + headerBytes))
  if (header.tileType !== TileType.Mvt) return 'must hold vector tiles (MVT), not pictures'
  const compressions = [Compression.None, Compression.Gzip]
  if (![header.internalCompression, header.tileCompression].every((one) => compressions.includes(one)))
    return 'must be compressed with gzip, or not at all'
  return header
}
