import { expect, it } from 'vitest'
import { expectAccessible, expectFits, handsOn, openTab, phone, startJourney } from './kit.ts'

/** The map of twins: its settings, twins in the same place, and a tracker that moves. */

const { page, accountId, api, browser, make, open, openAnew, platform, token, button, dialog, says, tabOf } =
  await startJourney()

interface Made {
  id: number
}
interface Settings {
  settings: { states: string[]; operators: object[]; pitch: number }
  version: number
}

const twin = (title: string, fields: object) => api.post<Made>('/digitaltwin', { title, ...fields })
const park = await twin('Gewerbepark', { accountId })
const hall = await twin('Halle 1', { parentId: park.id, type: 'building', latitude: 51.05, longitude: 11.02 })
await twin('Halle 2', { parentId: park.id, type: 'building', latitude: 51.052, longitude: 11.024 })
const load = await api.post<Made>('/digitaltwin/states', {
  dtwinId: hall.id,
  key: 'load',
  title: 'Auslastung',
  unit: '%',
  source: 'none',
})
await api.put(`/digitaltwin/states/${load.id}/value`, { value: 87 })

const mapOf = (id: number) => `/digitaltwin-mgmt/map/twin/${id}`
const canvas = page.locator('canvas.maplibregl-canvas')

it('shows what its settings say to everyone who opens it', async () => {
  await open(mapOf(park.id))
  await page.getByRole('button', { name: 'Halle 1' }).waitFor()
  await button('Karteneinstellungen').click()
  const sheet = handsOn(dialog())
  await sheet.choice('Werte an den Orten').click()
  await page.getByRole('option', { name: 'Auslastung' }).click()
  await page.keyboard.press('Escape')
  await sheet.button('Vergleich hinzufügen').click()
  const rule = handsOn(dialog().getByRole('group', { name: 'Vergleich 1', exact: true }))
  await sheet.button('Für alle speichern').click()
  await says('Dieses Feld ist erforderlich')
  await rule.choose('Datenpunkt', 'Auslastung')
  await rule.field('Wert').fill('voll')
  await says('Geben Sie eine Zahl ein, oder vergleichen Sie')
  await rule.field('Wert').fill('80')
  await rule.choose('Farbe', 'Violett')
  await rule.choose('Symbol', 'Feuer')
  await sheet.field('Neigung (Grad)').fill('0')
  await expectAccessible(page, 'the settings of a map')
  await sheet.button('Für alle speichern').click()
  await says('Die Karteneinstellungen wurden gespeichert.')
  await page.getByText(/^87\s%\s·\sGebäude$/).waitFor()
  await page.locator('[data-tone="invalid"]').first().waitFor()
  expect(await api.get<Settings>(`/digitaltwin/${park.id}/map-settings`)).toMatchObject({
    version: 1,
    settings: {
      states: ['load'],
      operators: [{ state: 'load', operator: 'gte', value: 80, color: 'violet', icon: 'fire' }],
      pitch: 0,
    },
  })
  await expectAccessible(page, 'a map with values')
})

it('requests its first data with its code, once, and nothing in vain', async () => {
  const theirs = await tabOf(token, { width: 1440, height: 900 })
  await theirs.page.goto(`${platform.url}/#${mapOf(park.id)}`)
  await theirs.page.getByRole('button', { name: 'Halle 1' }).waitFor()
  const { calls, inVain } = await theirs.page.evaluate(() => ({
    calls: performance
      .getEntriesByType('resource')
      .map(({ name }) => new URL(name))
      .filter(({ pathname }) => /geo-meta-infos|map-settings|floors$|fetch\/all$/.test(pathname))
      .map(({ pathname }) => pathname),
    inVain: [
      ...((
        window as { leitstandAsked?: { answers: Map<string, unknown> } }
      ).leitstandAsked?.answers.keys() ?? ['']),
    ],
  }))
  expect(calls.toSorted()).toEqual([
    `/api/digitaltwin/${park.id}/floors`,
    `/api/digitaltwin/${park.id}/map-settings`,
    '/api/digitaltwin/geo-meta-infos',
    '/api/tenant/fetch/all',
  ])
  expect(inVain).toEqual([])
  expect(theirs.problems).toEqual([])
  await theirs.context.close()
})

it('opens the states of a place with value, history and input', async () => {
  await page.getByRole('button', { name: 'Halle 1' }).click()
  const panel = page.getByRole('region', { name: 'Halle 1' })
  await panel.getByText('87').first().waitFor()
  await panel.getByRole('button', { name: /Auslastung.*Messverlauf öffnen/ }).click()
  await dialog().getByText('Gewerbepark').or(dialog().getByText('Halle 1')).first().waitFor()
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'detached' })
  await panel.getByRole('button', { name: 'Wert von Auslastung setzen' }).click()
  await handsOn(dialog()).field(/^Wert/).fill('42')
  await page.keyboard.press('Enter')
  await panel.getByText('42').first().waitFor()
  await button('Auswahl aufheben').click()
  // Below the comparison of the settings now.
  await page.getByText(/^42\s%\s·\sGebäude$/).waitFor()
  await page.locator('[data-tone="invalid"]').waitFor({ state: 'detached' })
  await api.put(`/digitaltwin/states/${load.id}/value`, { value: 87 })
  await page.getByText(/^87\s%\s·\sGebäude$/).waitFor()
})

it('is changed for a visit by those who may only look, on a phone', async () => {
  const { items } = await api.get<{ items: { id: number; scopeId: number }[] }>('/tenant/fetch/all')
  const scopeId = items.find(({ id }) => id === accountId)?.scopeId ?? 0
  const { id: userId } = await make.user('leserin', { id: accountId, scopeId }, 'Viewer')
  const { token } = await api.post<{ token: string }>('/auth/impersonate', { userId })
  const tab = await tabOf(token, phone)
  await tab.page.goto(`${platform.url}/#${mapOf(hall.id)}`)
  const theirs = handsOn(tab.page)
  await tab.page.getByText(/^87\s%\s·\sBuilding$/).waitFor()
  await theirs.button('Map settings').click()
  await theirs.says('Your changes apply to this visit only.')
  await expectFits(tab.page, 'the settings of a map on a phone')
  const sheet = handsOn(theirs.dialog())
  await sheet.button('Remove comparison 1').click()
  await sheet.button('Apply').click()
  await tab.page.locator('[data-tone="invalid"]').waitFor({ state: 'detached' })
  await theirs.button('Map settings').click()
  await sheet.button('Discard my changes').click()
  await tab.page.locator('[data-tone="invalid"]').first().waitFor()
  await tab.context.close()
})

it('is where a public map begins', async () => {
  const { token } = await api.post<{ token: string }>(`/digitaltwin/${park.id}/sharing/create-key`, {})
  const visitor = await openTab(browser)
  await visitor.page.goto(`${platform.url}/#/public/${token}/map/${park.id}`)
  await visitor.page.getByText(/^87\s%\s·\sGebäude$/).waitFor()
  await visitor.page.locator('[data-tone="invalid"]').first().waitFor()
  await visitor.context.close()
})

it('fans twins in the same place out, and names them beside the map', async () => {
  const cellar = await twin('Keller', { accountId })
  for (const number of [1, 2, 3])
    await twin(`Zähler ${number}`, { parentId: cellar.id, latitude: 51.05, longitude: 11.02 })
  await open(mapOf(cellar.id))
  await page.getByRole('button', { name: 'Zähler 1 und 2 weitere' }).click()
  const fan = page.getByRole('group', { name: '3 Orte an dieser Stelle' })
  await fan.getByRole('button', { name: 'Zähler 1' }).waitFor()
  await expect.poll(() => fan.getByRole('button', { name: 'Zähler 1' }).evaluate(isFocused)).toBe(true)
  const list = page.getByRole('region', { name: 'Zwillinge am selben Ort' })
  expect(await list.getByRole('button', { name: /^Zähler/ }).allTextContents()).toEqual([
    'Zähler 1',
    'Zähler 2',
    'Zähler 3',
  ])
  await expectAccessible(page, 'twins in the same place')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Zähler 2' }).waitFor()
  await button('Auswahl aufheben').click()
  await list.getByRole('button', { name: 'Zähler 3' }).click()
  await page.getByRole('region', { name: 'Zähler 3' }).waitFor()
  await fan.getByRole('button', { name: 'Zähler 3' }).focus()
  await page.keyboard.press('Escape')
  await fan.waitFor({ state: 'detached' })
})

const isFocused = (element: Element) => element === document.activeElement

it('moves a tracker with the positions its device sends', async () => {
  const { id: connectorId, key } = await make.connector('Flottennetz')
  const { id: deviceId } = await make.device('Sender 7', 'bus-7', { connectorId })
  const send = async (latitude: number, longitude: number) => {
    const response = await fetch(`${platform.url}/api/hooks/${key}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ identifier: 'bus-7', data: { breite: latitude, laenge: longitude } }),
    })
    expect(response.status).toBe(200)
  }
  await send(51.05, 11.02)
  const fleet = await twin('Flotte', { accountId })
  const bus = await twin('Bus 7', {
    parentId: fleet.id,
    type: 'trackable',
    latitude: 51.05,
    longitude: 11.02,
  })
  const { items } = await api.get<{ items: { id: number; key: string }[] }>(`/digitaltwin/${deviceId}/states`)
  for (const [state, axis] of [
    ['breite', 'latitude'],
    ['laenge', 'longitude'],
  ] as const)
    await api.post('/digitaltwin/states', {
      dtwinId: bus.id,
      key: axis,
      title: axis,
      source: 'virtual-device-aggregate',
      sourceSettings: { stateIds: [items.find((one) => one.key === state)?.id] },
    })
  await api.put(`/digitaltwin/${fleet.id}/map-settings`, {
    version: 0,
    settings: { pitch: 0, zoom: 16 },
  })
  await openAnew(mapOf(fleet.id))
  await page.getByRole('button', { name: 'Bus 7' }).waitFor()
  const box = await canvas.boundingBox()
  if (!box) throw new Error('the map is not visible')
  /** Whether the pointer is over the bus, so many pixels to the right of where it was. */
  const isAt = async (right: number) => {
    const [x, y] = [box.x + box.width / 2 + right, box.y + box.height / 2]
    await page.mouse.move(x - 40, y - 40)
    await page.mouse.move(x, y)
    return (await canvas.evaluate((element: HTMLElement) => element.style.cursor)) === 'pointer'
  }
  await expect.poll(() => isAt(0)).toBe(true)
  // No clusters are read from now on: what moves comes over the live connection.
  await page.route('**/api/digitaltwin/geo-clusters?*', () => undefined)
  const degreesFor = (pixels: number) => (pixels * 360) / (512 * 2 ** 16)
  await send(51.05, 11.02 + degreesFor(120))
  await expect.poll(() => isAt(120)).toBe(true)
  expect(await isAt(0)).toBe(false)
  await send(51.05, 11.02 - degreesFor(150))
  await expect.poll(() => isAt(-150)).toBe(true)
  expect(await isAt(120)).toBe(false)
  await page.unrouteAll()
  // Each of its values leads to the device that it comes from.
  await open(`/digitaltwin-mgmt/${bus.id}`)
  const origins = page.getByRole('main').getByRole('link', { name: 'Sender 7' })
  await expect.poll(() => origins.count()).toBe(2)
  await origins.first().click()
  await page.getByRole('heading', { level: 1, name: 'Sender 7' }).waitFor()
})
