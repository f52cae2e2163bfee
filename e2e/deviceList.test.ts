import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Response } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import {
  coloursOf,
  expectAccessible,
  expectFits,
  handsOn,
  phone,
  startJourney,
  startTileServer,
} from './kit.ts'

/** The device list as an operator uses it, the map, and a new device's label. */

/** Maps are drawn without a graphics card here. */
const patience = { timeout: 60_000 }

/**
 * The code of `LW:D0:70B3D57ED0000010:A81758FFFE0A0B0C:000AF8BE`: 29 rows, dark is 1, most significant bit
 * first.
 */
const label = [
  ...['1fcd977f', '105e7741', '1744d15d', '1745e55d', '175d445d', '104f8341', '1fd5557f', '0007d700'],
  ...['15487612', '03256bae', '13c09259', '02872bab', '05681955', '0406a6bc', '08d57d5c', '0c3ed685'],
  ...['01f5634e', '0f8b5cac', '1453bc3d', '090d3a44', '10f033fa', '001f8b19', '1fc17751', '104ac912'],
  ...['175575f4', '1747f83c', '1752c59d', '10446947', '1fdd9535'],
].map((digits) => Number.parseInt(digits, 16))

const folder = mkdtempSync(join(tmpdir(), 'leitstand-camera-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const film = join(folder, 'label.y4m')
writeFileSync(film, filmOf(label))
const lantern = { latitude: 48.14, longitude: 11.58 }
const tiles = await startTileServer(lantern)
const stadtplan = {
  id: 'stadtplan',
  title: { de: 'Stadtplan', en: 'City map' },
  light: tiles.styleUrl,
  attribution: '© Stadtwerke',
}
const { tab, page, token, tabOf, api, make, open, button, row, field, dialog, says, platform } =
  await startJourney({
    uses: [tiles],
    env: { MAP_STYLES: JSON.stringify([stadtplan]) },
    browserArgs: [
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-video-capture=${film}`,
    ],
  })
await fill()

async function fill(): Promise<void> {
  const { id: connectorId } = await make.connector('Stadtwerke', { preset: 'standard' })
  const devices = [
    {
      title: 'Tonne 1',
      groups: ['Abfall'],
      latitude: 54.32,
      longitude: 10.13,
      keyValues: { Straße: 'Hauptstraße' },
    },
    {
      title: 'Tonne 2',
      groups: ['Abfall', 'Pilot'],
      latitude: 54.32,
      longitude: 10.13,
      referenceIds: [{ name: 'Anlage', value: '0815' }],
    },
    { title: 'Laterne', address: 'Am Markt 1', ...lantern },
  ]
  for (const [index, device] of devices.entries())
    await api.post('/virtualdevice', { connectorId, externalId: `gerät-${index}`, ...device })
}

it('shows the columns somebody chooses, and remembers them', async () => {
  await open('/virtual-devices')
  await row(/Tonne 1/).waitFor()
  await button('Spalten').click()
  for (const name of ['Gruppen', 'Adresse', 'Eigenschaften', 'Referenz-IDs', 'Konnektortyp'])
    await page.getByRole('menuitemcheckbox', { name, exact: true }).click()
  await page.keyboard.press('Escape')
  await row(/Tonne 1.*Abfall.*Straße=Hauptstraße/).waitFor()
  await row(/Tonne 2.*Anlage=0815/).waitFor()
  await row(/Laterne.*Webhook.*Am Markt 1/).waitFor()
  await page.reload()
  await row(/Tonne 2.*Anlage=0815/).waitFor()
  await expectAccessible(page, 'list with many columns')
})

it('filters by group and takes what is found as a file of all columns', async () => {
  await open('/virtual-devices?group=Pilot')
  await row(/Tonne 2/).waitFor()
  await row(/Laterne/).waitFor({ state: 'detached' })
  const save = async (format: string) => {
    await button('Herunterladen').click()
    const item = page.getByRole('menuitem', { name: format })
    return (await Promise.all([page.waitForEvent('download'), item.click()]))[0]
  }
  const file = await save('CSV')
  expect(file.suggestedFilename()).toBe('Geräte.csv')
  const lines = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\r\n')
  expect(lines).toHaveLength(2)
  expect(lines[0]).toContain('Titel;Kennung;Account;Konnektor;Konnektortyp;Treiber;Gerätevorlage;')
  expect(lines[1]).toContain('Tonne 2;gerät-1;')
  expect(lines[1]).toContain('Anlage=0815')
  for (const [format, begins] of [
    ['Excel (XLSX)', /^PK/],
    ['Parquet', /^PAR1/],
    ['JSON Lines', /^\{"id":\d+,"title":"Tonne 2",/],
  ] as const) {
    const other = await save(format)
    expect(readFileSync(await other.path(), 'utf8'), format).toMatch(begins)
  }
})

it('shows how the number of devices grew', async () => {
  await open('/virtual-devices')
  await button('Statistik').click()
  await page.getByRole('dialog', { name: 'Wachstum' }).waitFor()
  await page.getByText('3 Geräte kamen hinzu').waitFor()
  await page.getByText('nach Konnektor').click()
  await button('Als Tabelle zeigen').click()
  await page.getByRole('columnheader', { name: 'Stadtwerke' }).waitFor()
  await page.mouse.move(0, 0)
  await page.getByRole('tooltip').waitFor({ state: 'detached' })
  await expectAccessible(page, 'growth')
  await page.keyboard.press('Escape')
})

it('puts a device into a group where it is edited', async () => {
  await open('/virtual-devices')
  await page
    .getByRole('main')
    .getByRole('link', { name: /Laterne/ })
    .click()
  await page.getByRole('tab', { name: 'Stammdaten' }).click()
  await page.getByRole('combobox', { name: 'Gruppen' }).fill('Licht')
  await page.keyboard.press('Enter')
  await button('Speichern').click()
  await page.getByText('Stammdaten gespeichert.').waitFor()
  await open('/virtual-devices?group=Licht')
  await row(/Laterne/).waitFor()
})

it('shows devices on the map, those in one place together', async () => {
  await open('/virtual-devices/map')
  await page.getByText('3 von 3 mit Position').waitFor()
  const places = page.getByRole('navigation', { name: 'Orte in diesem Ausschnitt' })
  await places.getByRole('link', { name: 'Laterne' }).waitFor()
  await expectAccessible(page, 'map with clusters')
  await places.getByRole('button', { name: 'Tonne 1 und 1 weiteres' }).click()
  const same = page.getByRole('region', { name: 'Geräte am selben Ort' })
  await same.getByRole('link', { name: 'Tonne 1' }).waitFor()
  await same.getByRole('link', { name: 'Tonne 2' }).waitFor()
  await same.getByRole('button', { name: 'Liste schließen' }).click()
  await same.waitFor({ state: 'detached' })
  await open('/virtual-devices/map?group=Pilot')
  await page.getByText('1 von 1 mit Position').waitFor()
  await places.getByRole('link', { name: 'Tonne 2' }).waitFor()
})

it('remembers how maps are to look, chosen on the map or in the profile', async () => {
  const layout = (name: string) => page.getByRole('menuitemradio', { name })
  await open('/virtual-devices/map')
  await button('Kartenstil').focus()
  await page.keyboard.press('Enter')
  expect(await layout('Schlicht').getAttribute('aria-checked')).toBe('true')
  await layout('Atlas mit Ländernamen').focus()
  await Promise.all([page.waitForResponse(/user\/properties/), page.keyboard.press('Enter')])
  await page.reload()
  await button('Kartenstil').click()
  expect(await layout('Atlas mit Ländernamen').getAttribute('aria-checked')).toBe('true')
  await open('/user-profile')
  await page.getByRole('combobox', { name: 'Kartenstil' }).click()
  await page.getByRole('option', { name: 'Schlicht' }).click()
  await says('Gespeichert')
  await open('/virtual-devices/map')
  await button('Kartenstil').click()
  expect(await layout('Schlicht').getAttribute('aria-checked')).toBe('true')
  await page.keyboard.press('Escape')
})

it('draws the map of a tile server, raises its houses, and falls back when the server is gone', async () => {
  const other = await tabOf(token)
  const map = handsOn(other.page)
  const colours = () => coloursOf(other.page)
  const look = async (role: 'menuitemradio' | 'menuitemcheckbox', name: string) => {
    await map.button('Kartenstil').click()
    const item = other.page.getByRole(role, { name })
    await Promise.all([other.page.waitForResponse(/user\/properties/), item.click()])
  }
  // Cluster numbers are rendered locally: the style's server has no fonts.
  await open('/virtual-devices/map', other.page)
  await look('menuitemradio', 'Stadtplan')
  await map.says('© Stadtwerke')
  await expect.poll(async () => (await colours()).blue, patience).toBeGreaterThan(0.8)

  await open('/virtual-devices/map?q=Laterne', other.page)
  await map.says('Vermessung')
  await expect.poll(async () => (await colours()).red, patience).toBeGreaterThan(0.4)
  await look('menuitemcheckbox', 'Gebäude in 3D')
  await expect.poll(async () => (await colours()).grey, patience).toBeGreaterThan(0.4)
  await other.page.reload()
  await expect.poll(async () => (await colours()).grey, patience).toBeGreaterThan(0.4)
  expect((await colours()).red).toBeLessThan(0.1)
  await expectAccessible(other.page, 'map with houses')
  expect(other.problems).toEqual([])
  expect(tiles.asked.filter((path) => path.startsWith('/fonts'))).toEqual([])

  await tiles.stop()
  await other.page.reload()
  await map.says('„Stadtplan“ ist nicht erreichbar. Gezeigt wird die eingebaute Karte.')
  await expectAccessible(other.page, 'map without its server')
  const small = await tabOf(token, phone)
  await open('/virtual-devices/map?q=Laterne', small.page)
  await handsOn(small.page).says('“City map” cannot be reached.')
  await expectFits(small.page, 'map without its server on a phone')
  await small.context.close()
  await tiles.start()
  await map.button('Erneut versuchen').click()
  await map.says('© Stadtwerke')
  await look('menuitemradio', 'Schlicht')
  await map.says('Karte: Natural Earth')
  await other.context.close()
})

it('takes a new device from the code on it: as text, and through the camera', async () => {
  await open('/virtual-devices?create=1')
  const next = () => button('Weiter').click()
  await page.getByRole('radio', { name: /Stadtwerke/ }).check()
  await next()
  await page.getByText('Welcher Treiber').waitFor()
  await next()
  const identifier = page.getByRole('textbox', { name: 'Kennung' })
  // With a title the step would be complete: reading the code must not advance by itself.
  await page.getByRole('textbox', { name: 'Titel' }).fill('Vom Etikett')
  await button('QR-Code des Geräts scannen').click()
  const typed = page.getByRole('textbox', { name: 'Inhalt des Codes' })
  await typed.fill('LW:D0:1122334455667788:AABBCCDDEEFF0011:AABB1122:SX1:C0000')
  await typed.press('Enter')
  await page.getByText('Die Prüfsumme stimmt nicht').waitFor()
  await expectAccessible(page, 'label as text')
  await typed.fill('lw:d0:1122334455667788:aabbccddeeff0011:aabb1122:S4711')
  await button('Übernehmen').click()
  await typed.waitFor({ state: 'detached' })
  expect(await identifier.inputValue()).toBe('AABBCCDDEEFF0011')

  await button('QR-Code des Geräts scannen').click()
  await button('Kamera verwenden').click()
  await typed.waitFor({ state: 'detached' })
  expect(await identifier.inputValue()).toBe('A81758FFFE0A0B0C')
  await next()
  await next()
  await page.getByText('joinEui=70B3D57ED0000010').waitFor()
  await button('Gerät anlegen').click()
  await page.getByText('„Vom Etikett“ wurde angelegt').waitFor()
})

it('keeps a filter under a name, takes it in list and map, renames, replaces and deletes it', async () => {
  const item = (name: string | RegExp) => page.getByRole('menuitem', { name })
  await open('/virtual-devices?group=Abfall&q=tonne')
  await row(/Tonne 1/).waitFor()
  await button('Gespeicherte Filter').click()
  await item(/Diesen Filter speichern/).click()
  await field('Name').fill('Alle Tonnen')
  await button('Speichern').click()
  await says('„Alle Tonnen“ wurde gespeichert.')
  await button('Alle Tonnen').waitFor()

  await open('/virtual-devices?state=disabled&page=2')
  await button('Gespeicherte Filter').click()
  await item('Alle Tonnen').click()
  await row(/Tonne 2/).waitFor()
  await row(/Laterne/).waitFor({ state: 'detached' })
  expect([...new URLSearchParams(page.url().split('?')[1])].toSorted()).toEqual([
    ['group', 'Abfall'],
    ['q', 'tonne'],
  ])
  await page.getByText('Karte', { exact: true }).click()
  await says('2 von 2 mit Position')

  await open('/virtual-devices?group=Pilot')
  await button('Gespeicherte Filter').click()
  await item(/Filter verwalten/).click()
  await dialog().getByRole('button', { name: 'Aktionen für „Alle Tonnen“' }).click()
  await item('Durch die jetzigen Filter ersetzen').click()
  await button('Alle Tonnen').waitFor()
  await dialog().getByRole('button', { name: 'Aktionen für „Alle Tonnen“' }).click()
  await item('Umbenennen').click()
  await field('Name').fill('Pilotgeräte')
  await expectAccessible(page, 'name of a filter')
  await button('Speichern').click()
  await dialog().getByRole('button', { name: 'Aktionen für „Pilotgeräte“' }).click()
  await item('Filter löschen').click()
  await button('Filter löschen').click()
  await button('Gespeicherte Filter').waitFor()
  expect(await api.get('/virtualdevice/saved-filters')).toMatchObject({ total: 0 })
})

it('shows twelve thousand devices like ten: a page at a time, however somebody looks', async () => {
  const { id: accountId, scopeId } = await make.account('Großstadt')
  const { id: connectorId } = await make.connector('Großes Netz', {}, { accountId })
  await platform.fill(`
    with made as (
      insert into twins (category, account_id, scope_id, title, type, tags, latitude, longitude)
      select 'virtualDevice', ${accountId}, ${scopeId}, 'Zähler ' || n, 'sensor', array['Reihe ' || n % 7],
        52.4 + n % 100 * 0.002, 13.1 + n / 100 * 0.005 from generate_series(1, 12000) as n returning id),
    known as (
      insert into virtual_devices (twin_id, connector_id, external_id)
      select id, ${connectorId}, 'ZAEHLER' || translate(id::text, '0123456789', 'abcdefghij') from made)
    insert into device_live (twin_id, last_seen, health) select id, now() - id * interval '1 second', id % 3 from made`)
  const asked: { path: string; rows: number; bytes: number }[] = []
  const note = async (response: Response) => {
    const { pathname: path } = new URL(response.url())
    if (!/\/api\/virtualdevice(\/geo-clusters)?$/.test(path)) return
    // Responses aborted by the navigation have no body; the page never showed them.
    const body = await response.text().catch((error: unknown) => {
      if (/getResponseBody/.test(String(error))) return undefined
      throw error
    })
    if (body === undefined) return
    const { items } = JSON.parse(body) as { items: unknown[] }
    asked.push({ path, rows: items.length, bytes: body.length })
  }
  page.on('response', note)
  const rows = page.getByRole('row').filter({ hasText: 'Zähler' })
  await open(`/virtual-devices?account=${accountId}`)
  await says('1–20 von 12.000')
  expect(await rows.count()).toBe(20)
  await page.getByRole('button', { name: '600', exact: true }).click()
  await row(/Zähler 12000/).waitFor()
  await says('11.981–12.000 von 12.000')

  const search = page.getByRole('textbox', { name: 'Titel, Kennung oder ID' })
  asked.length = 0
  await search.pressSequentially('119 zahler')
  await says('1–20 von 132')
  expect(asked.length).toBeLessThan('119 zahler'.length)
  await search.fill('ZAEHLER')
  await says('1–20 von 12.000')
  await search.fill('"zähler 4711"')
  await row(/Zähler 4711/).waitFor()
  await says('1–1 von 1')

  await page.getByText('Karte', { exact: true }).click()
  await says('1 von 1 mit Position')
  await open(`/virtual-devices/map?account=${accountId}`)
  await says('12.000 von 12.000 mit Position')
  const places = page.getByRole('navigation', { name: 'Orte in diesem Ausschnitt' })
  await places
    .getByRole('button', { name: / weitere$/ })
    .first()
    .waitFor()
  expect(await places.getByRole('listitem').count()).toBeLessThan(500)
  expect(Math.max(...asked.map(({ rows: count }) => count))).toBeLessThan(500)
  expect(Math.max(...asked.map(({ bytes }) => bytes))).toBeLessThan(200_000)
})

it('leads from the start page to the devices of each health', async () => {
  await open('/home')
  await page
    .getByRole('region', { name: 'Geräte' })
    .getByRole('link', { name: /Unbekannt/ })
    .click()
  await page.waitForURL(/virtual-devices\?health=3/)
  await expect.poll(() => page.getByRole('button', { name: /Unbekannt/, pressed: true }).count()).toBe(1)
  await open('/home')
  const tasks = page.getByRole('region', { name: 'Zu erledigen' })
  await page.getByRole('region', { name: 'Geräte' }).waitFor()
  await page.getByRole('region', { name: 'Heute geändert' }).getByRole('listitem').first().waitFor()
  await tasks.getByRole('link', { name: /Geräte haben noch nie etwas gesendet/ }).waitFor()
  await expectAccessible(page, 'start page')
  await tasks.getByRole('link', { name: /Geräte haben noch nie etwas gesendet/ }).click()
  await page.waitForURL(/virtual-devices\?silent=1440/)
})

it('finds by keyboard alone: a thing, an action, a page opened lately, and no screen that is not built', async () => {
  const look = () => page.locator('html').getAttribute('data-mantine-color-scheme')
  const options = page.getByRole('option')
  const find = async (text: string) => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type(text)
  }
  await open('/home')
  await page.getByRole('navigation', { name: 'Hauptmenü' }).waitFor()
  // Nothing waits for the code of the palette, nor for results.
  await find('1 TONNE')
  await page.keyboard.press('Enter')
  await page.waitForURL(/virtual-devices\/\d+/)
  await page.getByRole('heading', { name: 'Tonne 1' }).waitFor()

  expect(await look()).toBe('light')
  await find('dark mode')
  await page.keyboard.press('Enter')
  await expect.poll(look).toBe('dark')
  await find('helle')
  await page.keyboard.press('Enter')
  await expect.poll(look).toBe('light')

  await open('/home')
  await find('')
  expect(await options.first().textContent()).toContain('Tonne 1')
  await page.keyboard.type('Integrationsflüsse')
  await says('Nichts gefunden zu „Integrationsflüsse“')
  expect(await options.count()).toBe(0)
  await page.keyboard.press('Escape')
  await open('/connectors/consumers/list')
  await page.getByRole('heading', { name: 'Integrationsflüsse' }).waitFor()
})

it('has a menu that fits 900 px, shows built screens only, and remembers what was folded', async () => {
  const own = await tabOf(token, { width: 1440, height: 900 })
  await own.page.goto(`${platform.url}/#/home`)
  const menu = own.page.getByRole('navigation', { name: 'Hauptmenü' })
  await menu.getByRole('link', { name: 'Geräte', exact: true }).click()
  await own.page.waitForURL(/#\/virtual-devices/)
  const last = menu.getByRole('link', { name: 'REST-API' })
  const box = await last.boundingBox()
  expect((box?.y ?? 900) + (box?.height ?? 0)).toBeLessThanOrEqual(900)
  expect(await menu.getByRole('link', { name: 'Integrationsflüsse' }).count()).toBe(0)

  const roles = menu.getByRole('link', { name: 'Rollen', exact: true })
  await roles.waitFor()
  await menu.getByRole('button', { name: 'Verwalten' }).click()
  await roles.waitFor({ state: 'detached' })
  await own.page.reload()
  await last.waitFor()
  expect(await roles.count()).toBe(0)
  await expectAccessible(own.page, 'menu')
  await own.context.close()
})

it('complains about nothing in the console of the browser', () => {
  expect(tab.problems).toEqual([])
})

/** A video with one frame, 640 by 480, of the code on white, in the simplest format a fake camera accepts. */
function filmOf(code: readonly number[]): Buffer {
  const [width, height, dot] = [640, 480, 12]
  const [left, top] = [(width - code.length * dot) / 2, (height - code.length * dot) / 2].map(Math.floor)
  const light = Buffer.alloc(width * height, 235)
  for (const [y, bits] of code.entries()) {
    for (const x of code.keys()) {
      if (!((bits >> (code.length - 1 - x)) & 1)) continue
      for (let line = 0; line < dot; line++) {
        const from = ((top ?? 0) + y * dot + line) * width + (left ?? 0) + x * dot
        light.fill(16, from, from + dot)
      }
    }
  }
  const colour = Buffer.alloc((width * height) / 2, 128)
  const head = Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420jpeg\n`)
  const frame = Buffer.concat([Buffer.from('FRAME\n'), light, colour])
  return Buffer.concat([head, ...Array.from({ length: 10 }, () => frame)])
}
