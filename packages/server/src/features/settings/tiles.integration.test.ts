import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createApi, startApp } from '../../../test/kit.ts'
import { pmtilesOf } from '../../../test/pmtiles.ts'
import { readConfig } from '../../config.ts'

const folder = mkdtempSync(join(tmpdir(), 'leitstand-tiles-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Some of every zoom, so that each is found at its place. */
const places = Array.from({ length: 8 }, (_, z) => z).flatMap((z) =>
  [0, 1, 2, 3].map((shift) => ({ z, x: (shift * 5) % 2 ** z, y: (shift * 3 + 1) % 2 ** z })),
)
const nameOf = ({ z, x, y }: (typeof places)[number]) => `${z}/${x}/${y}`
const distinct = [...new Map(places.map((place) => [nameOf(place), place])).values()]

async function appWith(gzip: boolean) {
  const path = join(folder, `${gzip}.pmtiles`)
  const tiles = distinct.map((place) => ({ ...place, data: Buffer.from(`tile ${nameOf(place)}`) }))
  writeFileSync(path, pmtilesOf(tiles, { gzip }))
  return startApp({ config: { mapTiles: readConfig({ MAP_TILES: path }, '/').mapTiles } })
}
const app = await appWith(true)

test('the tiles of the file are served at their places, packed or not', async () => {
  await using plain = await appWith(false)
  for (const { url } of [app, plain])
    for (const place of distinct) {
      const answer = await fetch(`${url}/map/tiles/${nameOf(place)}?v=1`)
      expect(await answer.text()).toBe(`tile ${nameOf(place)}`)
      expect(answer.headers.get('content-type')).toBe('application/vnd.mapbox-vector-tile')
      expect(answer.headers.get('cache-control')).toBe('public, max-age=604800, immutable')
    }
})

test('where there is no tile the answer is empty; what is no place is not found', async () => {
  const status = async (path: string) => (await fetch(`${app.url}/map/tiles/${path}`)).status
  expect(await status('7/127/127')).toBe(204)
  expect(await status('20/1/1')).toBe(204)
  for (const path of [
    '3/8/0',
    '3/0/8',
    '-1/0/0',
    '27/0/0',
    '1.5/0/0',
    'a/0/0',
    '3/0',
    '3/0/0/0',
    '3/..%2f/0',
  ])
    expect(await status(path)).toBe(404)
})

test('users and the console learn of them', async () => {
  const { tiles } = await app.api.map.local()
  expect(tiles).toMatchObject({ minZoom: 0, maxZoom: 7, bounds: { west: -180, south: -85 } })
  await expect(createApi(app.url).map.local()).rejects.toMatchObject({ status: 401 })
})

test('without a file there are none', async () => {
  await using none = await startApp()
  expect(await none.api.map.local()).toEqual({ map: null, tiles: null })
  expect((await fetch(`${none.url}/map/tiles/0/0/0`)).status).toBe(404)
})
