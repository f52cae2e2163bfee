import { expect, it } from 'vitest'
import { TheThingsStack, ttsKey } from '../packages/server/test/networkServers.ts'
import { expectAccessible, expectFits, phone, startJourney } from './kit.ts'

/** Devices of a network server: access, importing one and several, comparing, deleting there and here. */

const network = await new TheThingsStack().listen()
const number = (at: number) => String(at).padStart(2, '0')
network.devices = [
  {
    ids: { device_id: 'keller-7', dev_eui: 'A81758FFFE000001' },
    name: 'Keller 7',
    description: 'neben der Treppe',
    last_seen_at: '2026-06-01T10:00:00Z',
    locations: { user: { latitude: 53.55, longitude: 9.99 } },
  },
  ...Array.from({ length: 24 }, (_, at) => ({
    ids: { device_id: `raum-${number(at)}`, dev_eui: `A81758FFFE0001${number(at)}` },
    name: `Raum ${number(at)}`,
  })),
]
const { page, tabOf, token, accountId, api, make, open, openAnew, button, field, dialog, choose, row, says } =
  await startJourney({ env: { ALLOWED_NETWORKS: '127.0.0.1' }, uses: [network] })
const { id: connectorId } = await make.connector('Stadtnetz', { preset: 'tts-v3' })
const titles = async () =>
  (await api.get<{ items: { title: string }[] }>('/virtualdevice?limit=100')).items.map(({ title }) => title)

it('tries the access to a network server before it is kept', async () => {
  await open(`/connectors/edit/${accountId}/${connectorId}?tab=metadata`)
  await choose('Netzwerkserver', 'The Things Stack v3')
  await field(/^Anwendung/).fill('app1')
  await field(/^Adresse der Geräteverwaltung/).fill(network.url)
  await page.getByLabel(/^Schlüssel der Geräteverwaltung/).fill('NNSXS.WRONG')
  await button('Prüfen und speichern').first().click()
  await says(/api_key_not_found/)
  await expectAccessible(page, 'access to a network server')
  await page.getByLabel(/^Schlüssel der Geräteverwaltung/).fill(ttsKey)
  await button('Prüfen und speichern').first().click()
  await expect
    .poll(async () => (await api.get<{ remote: string }>(`/bridge/configs/${connectorId}`)).remote)
    .toBe('tts-v3')
})

/** Opens the wizard at the identity step. */
async function identityStep(on = page, next = 'Weiter'): Promise<void> {
  await openAnew(`/virtual-devices?create=1&connector=${connectorId}`, on)
  for (let step = 0; step < 2; step++) await on.getByRole('button', { name: next, exact: true }).click()
}

it('takes one device into the wizard, and refuses an EUI with a slip', async () => {
  await identityStep()
  await field(/^Kennung/).fill('A81758FFFE00000')
  await field(/^Titel/).fill('x')
  await button('Weiter').click()
  await says(/Der Netzwerkserver dieses Konnektors erkennt Geräte an der EUI-64/)
  await button('Vom Netzwerkserver importieren').click()
  await says('25 Geräte')
  await field('Name, Kennung oder EUI suchen').fill('keller')
  await row(/Raum 00/).waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: 'Keller 7 auswählen' }).check()
  await expectAccessible(page, 'devices of a network server')
  await button('Importieren').click()
  await expect.poll(() => field(/^Kennung/).inputValue()).toBe('A81758FFFE000001')
  for (let step = 0; step < 2; step++) await button('Weiter').click()
  await says('53.55, 9.99')
  await button('Gerät anlegen').click()
  await expect.poll(titles).toEqual(['Keller 7'])
})

it('creates all others in the background', async () => {
  await identityStep()
  await button('Vom Netzwerkserver importieren').click()
  await row(/Keller 7.*Schon angelegt/).waitFor()
  expect(await page.getByRole('checkbox', { name: 'Keller 7 auswählen' }).isDisabled()).toBe(true)
  for (const name of ['Raum 00', 'Raum 01'])
    await page.getByRole('checkbox', { name: `${name} auswählen` }).check()
  await button('2 Geräte anlegen …').click()
  await button('Zurück').last().click()
  await button('Alle 25 anlegen …').click()
  await button('Anlegen').click()
  await page.waitForURL(/background-jobs/)
  await expect.poll(async () => (await titles()).length, { timeout: 30_000 }).toBe(25)
})

it('compares a device with its network server, and takes over what is chosen', async () => {
  const { items } = await api.get<{ items: { id: number }[] }>('/virtualdevice?search_items=Keller')
  const [device] = network.devices
  Object.assign(device ?? {}, { name: 'Keller 7a' })
  await open(`/virtual-devices/${items[0]?.id}`)
  await button('Mehr').click()
  await page.getByRole('menuitem', { name: 'Mit dem Netzwerkserver abgleichen' }).click()
  await page.getByRole('checkbox', { name: 'Titel' }).check()
  await expectAccessible(page, 'comparison with the network server')
  await button('Auswahl übernehmen').click()
  await says('Keine Unterschiede.')
  await button('Schließen').last().click()
  await page.getByRole('heading', { level: 1, name: 'Keller 7a' }).waitFor()
})

it('deletes a device at its network server first, and keeps it when that fails', async () => {
  await button('Mehr').click()
  await page.getByRole('menuitem', { name: 'Gerät löschen' }).click()
  await dialog()
    .getByRole('checkbox', { name: /Auch in The Things Stack v3 löschen/ })
    .check()
  await dialog().getByRole('textbox').fill('Keller 7a')
  network.failing = (response) => response.writeHead(503).end('gerade nicht')
  await dialog().getByRole('button', { name: 'Gerät löschen' }).click()
  await says('Der Netzwerkserver ist nicht erreichbar: HTTP 503 gerade nicht')
  expect(await titles()).toHaveLength(25)
  network.failing = undefined
  await dialog().getByRole('button', { name: 'Gerät löschen' }).click()
  await page.waitForURL(/virtual-devices$/)
  expect(network.devices.map(({ ids }) => ids.device_id)).not.toContain('keller-7')
  expect(await titles()).toHaveLength(24)
})

it('deletes several at their network server, and tells of each what came of it', async () => {
  const elsewhere = network.devices.find(({ ids }) => ids.device_id === 'raum-00')
  Object.assign(elsewhere ?? {}, { network_server_address: 'elsewhere.example' })
  await open('/virtual-devices?q=FFFE00010')
  await row(/Raum 09/).waitFor()
  await page.getByRole('checkbox', { name: 'Alle Zeilen dieser Seite auswählen' }).check()
  await button('Massenänderung').click()
  await page.getByRole('radio', { name: /Alle ausgewählten löschen/ }).check()
  await says(/10 der Geräte gibt es auch auf einem Netzwerkserver/)
  await page.getByRole('checkbox', { name: 'Auch auf dem Netzwerkserver löschen' }).check()
  await expectAccessible(page, 'deleting many at the network server')
  await button('Weiter').click()
  await field('Titel des Vorgangs').fill('Räume weg')
  await field('Zahl der Geräte').fill('10')
  await button('10 Geräte löschen').click()
  await says('Fertig')
  await row(/Raum 00.*Der Netzwerkserver lehnt/).waitFor()
  expect(network.devices.map(({ ids }) => ids.device_id)).toContain('raum-00')
  expect(network.devices).toHaveLength(15)
  expect(await titles()).toHaveLength(15)
})

it('fits on a phone, in the dark and in English', async () => {
  const { page: small } = await tabOf(token, phone)
  await identityStep(small, 'Next')
  await small.getByRole('button', { name: 'Import from the network server' }).click()
  await small.getByText('15 devices').waitFor()
  await expectFits(small, 'devices of a network server on a phone')
})
