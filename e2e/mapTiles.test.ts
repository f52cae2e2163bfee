import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { pmtilesOf } from '../packages/server/test/pmtiles.ts'
import { waterTile } from './kit/vectorTile.ts'
import { openTab, shareOf, startJourney } from './kit.ts'

/** Streets and water from a file of the operator, drawn by the built-in maps without any other server. */

const folder = mkdtempSync(join(tmpdir(), 'leitstand-tiles-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const path = join(folder, 'city.pmtiles')
/** A tile of zoom 8 with a lake; closer zooms are scaled from it. */
const [z, x, y] = [8, 136, 86]
writeFileSync(path, pmtilesOf([{ z, x, y, data: waterTile() }]))

const { page, api, accountId, platform, open, tab, browser } = await startJourney({
  env: { MAP_TILES: path },
})
const place = {
  longitude: ((x + 0.5) / 2 ** z) * 360 - 180,
  latitude: (Math.atan(Math.sinh(Math.PI * (1 - (2 * (y + 0.5)) / 2 ** z))) * 180) / Math.PI,
}
const { id } = await api.post<{ id: number }>('/digitaltwin', { title: 'Boje', accountId, ...place })
const patience = { timeout: 60_000 }

it('is drawn by the built-in maps', async () => {
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await open(`/digitaltwin-mgmt/map/twin/${id}`)
  await page.getByText('Karte: Natural Earth, © OpenStreetMap').waitFor()
  await expect.poll(() => asked.some((url) => url.includes('/map/tiles/8/136/86')), patience).toBe(true)
  // In the file there is a lake, where the built-in countries have land.
  await expect.poll(() => shareOf(page, '#e4edf1'), patience).toBeGreaterThan(0.5)
  expect(asked.filter((url) => !url.startsWith(platform.url) && !/^(blob|data):/.test(url))).toEqual([])
  expect(tab.problems).toEqual([])
})

it('is drawn on public pages, too', async () => {
  const { token } = await api.post<{ token: string }>(`/digitaltwin/${id}/sharing/create-key`, {})
  const visitor = await openTab(browser, { dark: true })
  await visitor.page.goto(`${platform.url}/#/public/${token}/map/${id}?pitch=0`)
  await visitor.page.getByText('Karte: Natural Earth, © OpenStreetMap').waitFor()
  await visitor.context.close()
})
