import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { pmtilesOf } from '../test/pmtiles.ts'
import { ConfigError, readConfig } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'leitstand-tiles-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const tiles = [{ z: 3, x: 1, y: 2, data: Buffer.from('a tile') }]
const written = (content: Buffer | string): string => {
  writeFileSync(join(folder, 'map.pmtiles'), content)
  return 'map.pmtiles'
}
const read = (content: Buffer | string) => readConfig({ MAP_TILES: written(content) }, folder).mapTiles

describe('the map tiles of an installation', () => {
  test('are none by default', () => {
    expect(readConfig({}, '/').mapTiles).toBeNull()
  })

  test('tell zooms and bounds, and change their version with the file', () => {
    const bounds = [10.9, 50.9, 11.1, 51.1] as const
    const first = read(pmtilesOf(tiles, { bounds }))
    expect(first).toMatchObject({
      path: join(folder, 'map.pmtiles'),
      tiles: { minZoom: 3, maxZoom: 3, bounds: { west: 10.9, south: 50.9, east: 11.1, north: 51.1 } },
    })
    const other = read(pmtilesOf([...tiles, { z: 5, x: 1, y: 2, data: Buffer.from('more') }]))
    expect(other?.tiles.maxZoom).toBe(5)
    expect(other?.tiles.version).not.toBe(first?.tiles.version)
  })

  test.each([
    ['another format', 'SQLite format 3', 'MAP_TILES must be a PMTiles file: this one has another format'],
    ['an empty file', '', 'this one has another format'],
    ['an old version', pmtilesOf(tiles, { version: 2 }), 'of version 3: this one has version 2'],
    ['pictures', pmtilesOf(tiles, { tileType: 2 }), 'MAP_TILES must hold vector tiles (MVT), not pictures'],
    ['half a file', pmtilesOf(tiles).subarray(0, -3), 'this one ends before its tiles'],
  ])('are refused: %s', (_name, content, problem) => {
    expect(() => read(content)).toThrow(ConfigError)
    expect(() => read(content)).toThrow(problem)
  })

  test('are refused when there is no such file, or it is packed in an unknown way', () => {
    expect(() => readConfig({ MAP_TILES: 'none.pmtiles' }, folder)).toThrow(
      /MAP_TILES must be a PMTiles file: ENOENT/,
    )
    const brotli = pmtilesOf(tiles)
    brotli[98] = 3
    expect(() => read(brotli)).toThrow('MAP_TILES must be compressed with gzip, or not at all')
  })
})
