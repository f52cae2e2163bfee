import { expect, it } from 'vitest'
import { coloursOf, expectAccessible, expectFits, handsOn, openTab, phone, startJourney } from './kit.ts'

/** Floor plans: chosen, placed on the map, shown with the values of the floor, also to visitors. */

const { page, accountId, api, browser, open, platform, button, dialog, field, says } = await startJourney()

interface Made {
  id: number
}
interface Floors {
  items: {
    overlay: { corners: [number, number][]; opacity: number; northEast: { latitude: number } } | null
  }[]
}

const make = (title: string, fields: object) => api.post<Made>('/digitaltwin', { title, ...fields })
const school = await make('Schule', { accountId, type: 'building', latitude: 51.05, longitude: 11.02 })
const ground = await make('Erdgeschoss', {
  parentId: school.id,
  type: 'floor',
  floorNumber: 0,
  floorName: 'EG',
})
await make('Dachgeschoss', { parentId: school.id, type: 'floor', floorNumber: 2, floorName: 'DG' })
const room = await make('Raum 12', {
  parentId: ground.id,
  type: 'room',
  latitude: 51.05003,
  longitude: 11.02008,
})
await make('Hof', { parentId: school.id, latitude: 51.0505, longitude: 11.0205 })
const co2 = await api.post<Made>('/digitaltwin/states', {
  dtwinId: room.id,
  key: 'co2',
  title: 'CO₂',
  unit: 'ppm',
  source: 'none',
  visualization: { kind: 'gauge', min: 0, max: 3000, lowerThreshold: 1000, upperThreshold: 2000 },
})
await api.put(`/digitaltwin/states/${co2.id}/value`, { value: 1240 })

const overlay = async () => {
  const { items } = await api.get<Floors>(`/digitaltwin/${ground.id}/floors`)
  return items[1]?.overlay ?? null
}

/** A plan of two rooms with red walls. */
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="400" viewBox="0 0 80 40">
  <rect x="1" y="1" width="78" height="38" fill="#fff" stroke="#c00000" stroke-width="2"/>
  <path d="M40 1v26M40 33v6" stroke="#c00000" stroke-width="1.5"/>
  <text x="14" y="22" font-size="6">Raum 11</text><text x="52" y="22" font-size="6">Raum 12</text></svg>`

/** A PDF with two pages. */
function twoPages(): Buffer {
  const content = (text: string) => `BT /F1 48 Tf 40 80 Td (${text}) Tj ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>',
    ...[5, 6].map(
      (number) =>
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 200] /Contents ${number} 0 R /Resources << /Font << /F1 7 0 R >> >> >>`,
    ),
    ...['Cellar', 'Ground'].map(
      (text) => `<< /Length ${content(text).length} >>\nstream\n${content(text)}\nendstream`,
    ),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const at = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const start = text.length
  const rows = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(text, 'latin1')
}

/** Chooses a file with the button of this name. */
async function give(label: string, name: string, mimeType: string, buffer: Buffer): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button(label).click()])
  await chooser.setFiles({ name, mimeType, buffer })
  await page.locator('button[data-loading]').waitFor({ state: 'detached' })
}

const planShown = () => page.locator('canvas[data-plan="shown"]').waitFor()

it('is chosen from a file: not from any, but from a drawing', async () => {
  await open(`/digitaltwin-mgmt/${ground.id}?tab=plan`)
  await says('Noch kein Grundriss')
  await expectAccessible(page, 'a floor without a plan')
  await give('Datei wählen', 'plan.dwg', 'application/octet-stream', Buffer.from('x'))
  await says('Diese Datei ist weder Bild')
  await give('Datei wählen', 'plan.svg', 'image/svg+xml', Buffer.from(drawing))
  await planShown()
  expect(await overlay()).toBeNull()
})

it('is placed by its handles and by numbers, and saved', async () => {
  const move = page.getByRole('button', { name: 'Grundriss verschieben' })
  await move.focus()
  await page.keyboard.press('Shift+ArrowUp')
  await page.keyboard.press('ArrowRight')
  const corner = page.getByRole('button', { name: 'Grundriss drehen und skalieren, Ecke 2' })
  const box = await corner.boundingBox()
  if (!box) throw new Error('the handles are not visible')
  await page.mouse.move(box.x + 10, box.y + 10)
  await page.mouse.down()
  await page.mouse.move(box.x + 40, box.y + 40, { steps: 5 })
  await page.mouse.up()
  expect(Number.parseFloat((await field('Drehung').inputValue()).replace(',', '.'))).toBeGreaterThan(5)
  await field('Breite').fill('30')
  await field('Drehung').fill('10')
  await expectAccessible(page, 'a floor plan being placed')
  await button('Lage speichern').click()
  await says('Lage des Grundrisses gespeichert')
  const placed = await overlay()
  const [[west = 0, north = 0] = [], [east = 0, other = 0] = []] = placed?.corners ?? []
  const metres = Math.hypot(
    (east - west) * 111_320 * Math.cos((51.05 * Math.PI) / 180),
    (other - north) * 111_320,
  )
  expect(metres).toBeCloseTo(30, 0)
  expect(other).toBeLessThan(north)
})

it('asks before an unsaved place is lost', async () => {
  await page.getByRole('button', { name: 'Grundriss verschieben' }).focus()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('link', { name: 'Schule' }).first().click()
  await dialog().getByRole('button', { name: 'Weiter bearbeiten' }).click()
  await button('Verwerfen').click()
})

it('is placed by three points of picture and map', async () => {
  await button('Drei Punkte abgleichen').click()
  const picture = page.getByRole('button', { name: 'plan.png' })
  const canvas = page.locator('canvas[data-plan="shown"]')
  // Upright, 200 by 100 pixels in the middle of the map.
  const points = [
    [0.05, 0.05],
    [0.95, 0.05],
    [0.05, 0.95],
  ] as const
  for (const [index, [x, y]] of points.entries()) {
    await says(`Punkt ${index + 1} von 3 im Bild anklicken`)
    const shown = await picture.boundingBox()
    if (!shown) throw new Error('the picture is not visible')
    await picture.click({ position: { x: shown.width * x, y: shown.height * y } })
    await says(`Punkt ${index + 1} von 3 auf der Karte anklicken`)
    const map = await canvas.boundingBox()
    if (!map) throw new Error('the map is not visible')
    await canvas.click({ position: { x: map.width / 2 - 100 + 200 * x, y: map.height / 2 - 50 + 100 * y } })
  }
  await picture.waitFor({ state: 'detached' })
  expect(Number.parseFloat((await field('Drehung').inputValue()).replace(',', '.'))).toBeCloseTo(0, 0)
  await button('Verwerfen').click()
})

it('is a page of a PDF', async () => {
  await give('Andere Datei', 'plans.pdf', 'application/pdf', twoPages())
  await dialog().getByText('Die Datei hat 2 Seiten.').waitFor()
  await handsOn(dialog()).field('Seite').fill('2')
  await dialog().getByRole('img', { name: 'Vorschau von Seite 2' }).waitFor()
  await expectAccessible(page, 'the pages of a PDF')
  await dialog().getByRole('button', { name: 'Seite verwenden' }).click()
  await dialog().waitFor({ state: 'detached' })
  await planShown()
  // A new picture is placed again.
  expect(await overlay()).toBeNull()
  await give('Andere Datei', 'plan.svg', 'image/svg+xml', Buffer.from(drawing))
  await planShown()
  await button('Lage speichern').click()
  await expect.poll(overlay).not.toBeNull()
})

it('lies on the map of the building when its floor is chosen, with the values there', async () => {
  await open(`/digitaltwin-mgmt/map/twin/${school.id}`)
  await page.getByRole('button', { name: 'Hof' }).waitFor()
  const picker = page.getByRole('combobox', { name: 'Etage' })
  await picker.click()
  expect(await page.getByRole('option').allTextContents()).toEqual(['2 · DG', '0 · EG'])
  await page.getByRole('option', { name: '0 · EG' }).click()
  await planShown()
  await page.getByRole('button', { name: 'Hof' }).waitFor({ state: 'detached' })
  await expect.poll(async () => (await coloursOf(page)).red).toBeGreaterThan(0.002)
  await expectAccessible(page, 'the map of a floor')
  const value = page.getByRole('combobox', { name: 'Wert an den Orten' })
  await value.click()
  await page.getByRole('option', { name: 'CO₂' }).click()
  await page.getByText('1.240 ppm · Raum').waitFor()
  await page.getByRole('button', { name: 'Raum 12' }).click()
  await page.getByRole('region', { name: 'Raum 12' }).getByText('1.240').waitFor()
  // The address leads there, too.
  await page.reload()
  await planShown()
})

it('is shown to visitors with indoor=true, on a phone', async () => {
  const { token } = await api.post<{ token: string }>(`/digitaltwin/${ground.id}/sharing/create-key`, {})
  const visitor = await openTab(browser, phone)
  await visitor.page.goto(`${platform.url}/#/public/${token}/map/${ground.id}?indoor=true&pitch=0`)
  await visitor.page.locator('canvas[data-plan="shown"]').waitFor()
  await expectFits(visitor.page, 'a shared floor on a phone')
  await visitor.page.goto(`${platform.url}/#/public/${token}/map/${ground.id}?pitch=0`)
  await visitor.page.locator('canvas:not([data-plan])').waitFor()
  await visitor.context.close()
})

it('is chosen by visitors on the map of a building, which shows the rooms of that floor', async () => {
  const { token } = await api.post<{ token: string }>(`/digitaltwin/${school.id}/sharing/create-key`, {})
  const visitor = await openTab(browser)
  const there = handsOn(visitor.page)
  const address = `${platform.url}/#/public/${token}/map/${school.id}?indoor=true&pitch=0`
  await visitor.page.goto(address)
  await there.button('Hof').waitFor()
  const picker = visitor.page.getByRole('combobox', { name: 'Etage' })
  await picker.click()
  expect(await visitor.page.getByRole('option').allTextContents()).toEqual(['2 · DG', '0 · EG'])
  await visitor.page.getByRole('option', { name: '0 · EG' }).click()
  await visitor.page.locator('canvas[data-plan="shown"]').waitFor()
  await there.button('Hof').waitFor({ state: 'detached' })
  await there.button('Raum 12').click()
  await visitor.page.getByRole('region', { name: 'Raum 12' }).getByText('1.240').waitFor()
  await expectAccessible(visitor.page, 'a floor of a shared building')
  // The address leads to the floor.
  await visitor.page.reload()
  await visitor.page.locator('canvas[data-plan="shown"]').waitFor()
  // A floor without a plan has the plain map. Without `indoor` there is nothing to choose.
  await picker.click()
  await visitor.page.getByRole('option', { name: '2 · DG' }).click()
  await visitor.page.locator('canvas:not([data-plan])').waitFor()
  await visitor.page.goto(address.replace('indoor=true&', ''))
  await visitor.page.reload()
  await there.button('Hof').waitFor()
  expect(await picker.count()).toBe(0)
  await visitor.context.close()
})

it('is removed after a question', async () => {
  await open(`/digitaltwin-mgmt/${ground.id}?tab=plan`)
  await button('Grundriss entfernen').click()
  await dialog().getByRole('button', { name: 'Grundriss entfernen' }).click()
  await says('Noch kein Grundriss')
  expect(await overlay()).toBeNull()
})
