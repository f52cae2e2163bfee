import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localMapMax } from '@leitstand/contract/maps'
import { expect, test } from 'vitest'
import { createApi, startApp } from '../../../test/kit.ts'
import { readConfig } from '../../config.ts'

const style = {
  id: 'city',
  title: { de: 'Stadtplan', en: 'City map' },
  dark: 'https://dark.example.org/style.json',
  light: 'https://maps.example.org/style.json?key=k1',
  hosts: ['https://tiles.example.org'],
}
const { mapStyles } = readConfig({ MAP_STYLES: JSON.stringify([style]) }, '/')
const app = await startApp({ config: { mapStyles } })

/** The directives of a page's content security policy, by name. */
async function policyOf(url: string): Promise<Record<string, string>> {
  const { headers } = await fetch(`${url}/healthz`)
  const directives = (headers.get('content-security-policy') ?? '').split(';')
  return Object.fromEntries(
    directives.map((each) => [each.split(' ')[0], each.split(' ').slice(1).join(' ')]),
  )
}

test('pages may ask the origins of the map styles, and nothing else', async () => {
  const origins = 'https://maps.example.org https://dark.example.org https://tiles.example.org'
  const { 'connect-src': connect, 'img-src': images, ...others } = await policyOf(app.url)
  expect(connect).toBe(`'self' ${origins}`)
  expect(images).toBe(`'self' data: blob: ${origins}`)
  expect(JSON.stringify(others)).not.toContain('example.org')
})

test('without map styles pages may ask nobody else', async () => {
  await using plain = await startApp()
  const { 'connect-src': connect, 'img-src': images } = await policyOf(plain.url)
  expect([connect, images]).toEqual(["'self'", "'self' data: blob:"])
  expect(await plain.api.map.styles()).toEqual({ items: [] })
})

test('signed-in users get the styles; guests see no key of a tile server', async () => {
  expect(await app.api.map.styles()).toEqual({ items: mapStyles })
  await expect(createApi(app.url).map.styles()).rejects.toMatchObject({ status: 401 })
})

test('a user keeps the look of maps and of buildings as a default', async () => {
  const userDefaults = { mapLayout: 'city', map3DBuild: true }
  await app.api.user.setProperties({ properties: { userDefaults } })
  const { user } = await app.api.auth.verify({})
  expect(user?.properties.userDefaults).toEqual(userDefaults)
})

test('signed-in users get the local map, if there is one', async () => {
  expect(await app.api.map.local()).toEqual({ map: null, tiles: null })
  const folder = mkdtempSync(join(tmpdir(), 'leitstand-map-'))
  const path = join(folder, 'city.geojson')
  const map = {
    type: 'FeatureCollection' as const,
    features: [
      {
        type: 'Feature' as const,
        geometry: {
          type: 'LineString' as const,
          coordinates: [
            [11, 51],
            [11.1, 51],
          ],
        },
        properties: { kind: 'road' as const, name: 'Ring' },
      },
    ],
  }
  writeFileSync(path, JSON.stringify(map))
  const { localMap } = readConfig({ MAP_LOCAL: path }, '/')
  await using other = await startApp({ config: { localMap } })
  expect(await other.api.map.local()).toEqual({ map, tiles: null })
  await expect(createApi(other.url).map.local()).rejects.toMatchObject({ status: 401 })

  writeFileSync(
    path,
    JSON.stringify({ ...map, features: [{ ...map.features[0], properties: { kind: 'moon' } }] }),
  )
  expect(() => readConfig({ MAP_LOCAL: path }, '/')).toThrow(/MAP_LOCAL: features\.0/)
  writeFileSync(path, 'x'.repeat(localMapMax + 1))
  expect(() => readConfig({ MAP_LOCAL: path }, '/')).toThrow('MAP_LOCAL must have 2 MB at most')
  expect(() => readConfig({ MAP_LOCAL: 'none.geojson' }, folder)).toThrow(
    /MAP_LOCAL must be a GeoJSON file: ENOENT/,
  )
  rmSync(folder, { recursive: true })
})
