import { expect, it } from 'vitest'
import { expectAccessible, expectFits, handsOn, phone, startJourney } from './kit.ts'

/**
 * The geo polygon of a twin: drawn and edited on the map, entered as text, required for zones. The map of all twins.
 */

interface Twin {
  id: number
  type: string
  latitude: number | null
  longitude: number | null
  geoPolygon: { coordinates: number[][][] } | null
}

const { page, accountId, api, open, openAnew, platform, tabOf, ...hands } = await startJourney()
const { button, choose, dialog, field, heading, says } = hands
const read = (id: number) => api.get<Twin>(`/digitaltwin/${id}`)
const needed = 'Ein Zwilling vom Typ Zone braucht ein Geopolygon für Geofences.'

/** Chooses a tool and returns the canvas once clicks on it draw, in the middle of the screen. */
async function take(tool: string, name: string) {
  await button(tool).click()
  const canvas = page.locator(`canvas[data-tool="${name}"]`)
  await canvas.waitFor()
  await canvas.evaluate((element) => element.scrollIntoView({ block: 'center' }))
  const box = await canvas.boundingBox()
  if (!box) throw new Error('the map is not visible')
  return { canvas, at: (x: number, y: number) => [box.x + x, box.y + y] as const }
}

async function drag(from: readonly [number, number], to: readonly [number, number]) {
  await page.mouse.move(...from)
  await page.mouse.down()
  await page.mouse.move(...to, { steps: 6 })
  await page.mouse.up()
}

const lines = async () => (await field('Geopolygon').inputValue()).split('\n')

async function save() {
  await button('Speichern').click()
  await button('Speichern').waitFor({ state: 'detached' })
}

let zone = 0

it('is required for a new zone, and may be entered as text', async () => {
  await open('/digitaltwin-mgmt?create=1')
  const form = handsOn(dialog())
  await form.field('Titel').fill('Hof')
  await form.choose('Typ', 'Zone')
  await form.field('Geopolygon').waitFor()
  await form.button('Zwilling anlegen').click()
  await form.says(needed)
  await expectAccessible(page, 'a new zone without a polygon')
  await form.field('Geopolygon').fill('50,98; 11,03\n50,98; 11,04\n50,99; 11,04')
  await form.button('Zwilling anlegen').click()
  await says('„Hof“ wurde angelegt.')
  await page.waitForURL(/digitaltwin-mgmt\/\d+/)
  zone = Number(/mgmt\/(\d+)/.exec(page.url())?.[1])
  expect(await read(zone)).toMatchObject({
    type: 'zone',
    geoPolygon: {
      coordinates: [
        [
          [11.03, 50.98],
          [11.04, 50.98],
          [11.04, 50.99],
          [11.03, 50.98],
        ],
      ],
    },
  })
})

it('is drawn as a rectangle, changed with the mouse, and taken back by key', async () => {
  await open(`/digitaltwin-mgmt/${zone}?tab=data`)
  const before = await lines()
  const { at } = await take('Rechteck', 'rectangle')
  await drag(at(300, 80), at(500, 240))
  await expect.poll(async () => (await lines()).length).toBe(4)
  const drawn = await lines()
  await page.locator('canvas[data-tool="edit"]').waitFor()
  await drag(at(500, 160), at(560, 160))
  await expect.poll(async () => (await lines()).length).toBe(5)
  await page.mouse.click(...at(560, 160))
  await button('Ecke löschen').click()
  await expect.poll(lines).toEqual(drawn)
  await drag(at(400, 150), at(440, 150))
  await expect.poll(lines).not.toEqual(drawn)
  await page.keyboard.press('Control+z')
  await expect.poll(lines).toEqual(drawn)
  expect(drawn).not.toEqual(before)
  await save()
  await openAnew(`/digitaltwin-mgmt/${zone}?tab=data`)
  await expect.poll(lines).toEqual(drawn)
})

it('is drawn corner by corner, and closed with Enter', async () => {
  const { at } = await take('Polygon', 'polygon')
  for (const [x, y] of [
    [300, 80],
    [420, 80],
    [430, 200],
    [350, 240],
  ] as const)
    await page.mouse.click(...at(x, y), { delay: 20 })
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await lines()).length).toBe(3)
  await button('Verwerfen').click()
  await expect.poll(async () => (await lines()).length).toBe(4)
})

it('is edited as text, and names what is wrong with it', async () => {
  await field('Geopolygon').fill('50.98, 11.03\n50.98, 11.04\n50.99, 11.03\n50.995, 11.04')
  await button('Speichern').click()
  await says('Der Rand kreuzt oder berührt sich selbst.')
  await field('Geopolygon').fill('50.98, 11.03\nhier')
  await button('Speichern').click()
  await says(/^Zeile 2: /)
  await expectAccessible(page, 'a text that is no polygon')
  const corners = [
    [11.03, 50.98],
    [11.04, 50.98],
    [11.04, 50.985],
    [11.03, 50.98],
  ]
  await field('Geopolygon').fill(JSON.stringify({ type: 'Polygon', coordinates: [corners] }))
  await save()
  expect((await read(zone)).geoPolygon?.coordinates).toEqual([corners])
  expect(await lines()).toEqual(['50.98, 11.03', '50.98, 11.04', '50.985, 11.04'])
})

it('of a zone is not given up', async () => {
  await button('Geopolygon löschen').click()
  expect(await lines()).toEqual([''])
  await button('Speichern').click()
  await says(needed)
  expect((await read(zone)).geoPolygon).not.toBeNull()
  await button('Rückgängig').click()
  await expect.poll(async () => (await lines()).length).toBe(3)
  await button('Speichern').waitFor({ state: 'detached' })
})

it('as a circle follows the position, in its radius', async () => {
  await field('Breite').fill('50,98')
  await field('Länge').fill('11,03')
  await button('Kreis').click()
  await field('Radius').fill('120')
  await page.keyboard.press('Tab')
  const north = async () => Math.max(...(await lines()).map((line) => Number(line.split(',')[0])))
  await expect.poll(north).toBeCloseTo(50.98 + 120 / 111_195, 5)
  await field('Breite').fill('50,99')
  await expect.poll(north).toBeCloseTo(50.99 + 120 / 111_195, 5)
  await save()
  await openAnew(`/digitaltwin-mgmt/${zone}?tab=data`)
  expect(await field('Radius').inputValue()).toBe('120 m')
  expect(await read(zone)).toMatchObject({ latitude: 50.99, longitude: 11.03 })
})

it('moves with its circle where only the position is set', async () => {
  await open(`/digitaltwin-mgmt/${zone}?tab=map`)
  const canvas = page.locator('canvas')
  await canvas.click({ position: { x: 300, y: 100 } })
  await button('Position speichern').click()
  await says('Die Position ist gespeichert.')
  const { latitude, geoPolygon } = await read(zone)
  const norths = geoPolygon?.coordinates[0]?.map(([, lat = 0]) => lat) ?? []
  expect(latitude).not.toBe(50.99)
  expect(Math.max(...norths)).toBeCloseTo((latitude ?? 0) + 120 / 111_195, 5)
})

it('is on the map of all twins, with the values of the one that is chosen', async () => {
  const room = await api.post<{ id: number }>('/digitaltwin', {
    title: 'Technikraum',
    parentId: zone,
    type: 'room',
    latitude: 50.95,
    longitude: 11.2,
  })
  const state = await api.post<{ id: number }>('/digitaltwin/states', {
    dtwinId: room.id,
    key: 'load',
    title: 'Auslastung',
    source: 'none',
    unit: '%',
    visualization: { kind: 'value', lowerThreshold: 50, upperThreshold: 90 },
  })
  await api.put(`/digitaltwin/states/${state.id}/value`, { value: 95 })
  await open('/digitaltwin-mgmt')
  await page.getByRole('treeitem', { name: /Hof/ }).getByRole('button', { name: 'Aktionen für Hof' }).click()
  await page.getByRole('menuitem', { name: 'Auf der Karte zeigen' }).click()
  await heading('Hof').waitFor()
  await says('2 von 2 mit Position')
  const places = page.getByRole('navigation', { name: 'Orte in diesem Ausschnitt' })
  await places.getByText('Raum · Fehler').waitFor()
  await expectAccessible(page, 'map of twins')
  await places.getByRole('button', { name: 'Technikraum' }).click()
  const panel = page.getByRole('region', { name: 'Technikraum' })
  await panel.getByText('Auslastung').waitFor()
  await panel.getByText('95').first().waitFor()
  await expectAccessible(page, 'map with the values of a twin')
  await page.getByRole('button', { name: 'Auswahl aufheben' }).click()
  await places.getByRole('button', { name: 'Technikraum' }).waitFor()
  await open(`/digitaltwin-mgmt/map/twin/0?type=zone&hide=zones`)
  await says('Kein Zwilling mit Position')
  await open('/digitaltwin-mgmt/map/twin/999999')
  await button('Zur Liste')
    .or(page.getByRole('link', { name: 'Zur Liste' }))
    .click()
  await page.waitForURL(/map\/twin\/0$/)
  await open('/digitaltwin-mgmt/list')
  await page
    .getByRole('row', { name: /Technikraum/ })
    .getByText('Fehler')
    .waitFor()
})

it('fields fit the type of the twin, and the screen a phone', async () => {
  await open(`/digitaltwin-mgmt/${zone}?tab=data`)
  expect(await field('Name der Etage').count()).toBe(0)
  await choose('Typ', 'Etage')
  await field('Etage').fill('3')
  await field('Name der Etage').fill('Mezzanin')
  await save()
  await says('3 · Mezzanin')
  const small = await tabOf(await platform.login(), phone)
  await open(`/digitaltwin-mgmt/${zone}?tab=data`, small.page)
  const there = handsOn(small.page)
  await there.button('Edit').click()
  await small.page.locator('canvas[data-tool="edit"]').waitFor()
  await expectFits(small.page, 'geo polygon on a phone')
  await open('/digitaltwin-mgmt?create=1', small.page)
  await there.dialog().waitFor()
  await expectFits(small.page, 'a new twin on a phone')
  expect(small.problems).toEqual([])
})
