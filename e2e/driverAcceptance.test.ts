import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expectAccessible, handsOn, phone, startJourney } from './kit.ts'

/** A driver by another account: a newer version is reviewed before it is accepted. */

const journey = await startJourney()
const { page, platform, api, make, open, openAnew, button, dialog, field, says, tabOf } = journey
const hands = handsOn(page)

const scriptOf = (factor: number) => `function decodeUplink({ bytes }) {
  return { data: { level: bytes[0] * ${factor} } }
}`
const works = await make.account('Wasserwerk')
const driver = await make.driver('Pegel', scriptOf(1))
const connector = await make.connector('Eingang', {}, { accountId: works.id })
await make.device('Pegel am Wehr', 'pegel-1', {
  connectorId: connector.id,
  driverId: driver.id,
  acceptDriver: 1,
})
const stored = await api.get<object>(`/devicedrivers/${driver.id}`)
await api.put(`/devicedrivers/${driver.id}`, { ...stored, script: scriptOf(10) })

const inTable = () => page.getByRole('row', { name: /Wasserwerk/ })

describe('a newer version of another account’s driver', () => {
  it('is pointed out in the list and on its page', async () => {
    await open('/virtual-device-drivers')
    await field('Titel, Hersteller oder Modell').fill('Pegel')
    await page.getByRole('row', { name: /Pegel/ }).getByText('Version 2 verfügbar').waitFor()
    await open(`/virtual-device-drivers/${driver.id}`)
    await says('Version 2 ist veröffentlicht, und 1 Account nutzt noch eine andere.')
    await page.getByRole('link', { name: 'Vergleichen und annehmen' }).click()
    await inTable().getByText('v1').waitFor()
    await expectAccessible(page, 'accepted versions')
  })

  it('is accepted after what it changes was shown', async () => {
    await button('Andere Version … für Wasserwerk').click()
    await dialog().getByText('bytes[0] * 10').first().waitFor()
    await expectAccessible(page, 'accepting a version')
    await dialog().getByRole('button', { name: 'Version 2 annehmen' }).click()
    await says('Version 2 gilt jetzt für die Geräte von Wasserwerk.')
    await inTable().getByText('v2').waitFor()
    await page.getByText('Version 2 verfügbar').waitFor({ state: 'detached' })
  })

  it('is tried as it is stored by those who may only read', async () => {
    const { id } = await make.user('leser', works, 'Viewer')
    const { token } = await api.post<{ token: string }>('/auth/impersonate', { userId: id })
    const reader = await tabOf(token)
    const hands = handsOn(reader.page)
    await open(`/virtual-device-drivers/${driver.id}?tab=parser`, reader.page)
    await hands.field('Nutzdaten').fill('05')
    await reader.page.getByText('level').first().waitFor()
    await reader.page.getByText('50', { exact: true }).first().waitFor()
    await open(`/virtual-device-drivers/${driver.id}?tab=versions`, reader.page)
    await hands.row(/Wasserwerk/).waitFor()
    expect(await hands.button('Andere Version … für Wasserwerk').count()).toBe(0)
    expect(reader.problems).toEqual([])
    await reader.page.context().close()
  })

  it('warns where its packets would leave the platform', async () => {
    const before = await api.get<object>(`/devicedrivers/${driver.id}`)
    const parser = { kind: 'url', url: 'https://parser.example.org/in' }
    await api.put(`/devicedrivers/${driver.id}`, { ...before, parser, script: '' })
    await openAnew(`/virtual-device-drivers/${driver.id}?tab=versions`)
    await button('Andere Version … für Wasserwerk').click()
    await dialog()
      .getByText(/schickt sie an parser\.example\.org/)
      .waitFor()
    await dialog().getByText('https://parser.example.org/in').first().waitFor()
    const small = await tabOf(await platform.login(), phone)
    await open(`/virtual-device-drivers/${driver.id}?tab=versions`, small.page)
    await handsOn(small.page).button('Other version … for Wasserwerk').click()
    await small.page.getByText(/sends them to parser\.example\.org/).waitFor()
    await expectAccessible(small.page, 'a warning on a phone, in the dark')
    await small.page.context().close()
    await dialog().getByRole('button', { name: 'Abbrechen' }).click()
  })
})

describe('the first device that uses another account’s driver', () => {
  it('is saved once its user has seen whose driver it is, and accepted it', async () => {
    const north = await make.account('Stadtwerk Nord')
    const gate = await make.connector('Tor', {}, { accountId: north.id })
    const device = await make.device('Pegel am Hafen', 'pegel-2', { connectorId: gate.id })
    const foreign = await make.driver('Hafenpegel', scriptOf(3))
    await open(`/virtual-devices/${device.id}?tab=data`)
    await hands.choice('Treiber').click()
    await hands.choice('Treiber').fill('Hafenpegel')
    await page.getByRole('option', { name: 'Hafenpegel' }).click()
    await button('Speichern').click()
    await dialog().getByText('Treiber eines anderen Accounts').waitFor()
    await dialog().getByText('JavaScript').waitFor()
    await dialog().getByText('bytes[0] * 3').waitFor()
    await expectAccessible(page, 'another account’s driver')
    await dialog().getByRole('button', { name: 'Abbrechen' }).click()
    expect(await accountsOf(foreign.id)).toEqual([])
    await button('Speichern').click()
    await dialog().getByRole('button', { name: 'Version 1 annehmen' }).click()
    await says('Stammdaten gespeichert.')
    expect(await accountsOf(foreign.id)).toEqual(['Stadtwerk Nord'])
    await open(`/virtual-device-drivers/${foreign.id}?tab=versions`)
    const row = page.getByRole('row', { name: /Stadtwerk Nord/ })
    await row.getByText('v1').waitFor()
    expect(await row.getByText('mit dem ersten Gerät').count()).toBe(0)
  })

  it('warns where its packets would leave the platform', async () => {
    const south = await make.account('Stadtwerk Süd')
    const gate = await make.connector('Südtor', {}, { accountId: south.id })
    const device = await make.device('Pegel am Wald', 'pegel-3', { connectorId: gate.id })
    await open(`/virtual-devices/${device.id}?tab=data`)
    await hands.choice('Treiber').click()
    await hands.choice('Treiber').fill('Pegel')
    await page.getByRole('option', { name: 'Pegel', exact: true }).click()
    await button('Speichern').click()
    await dialog()
      .getByText(/schickt sie an parser\.example\.org/)
      .waitFor()
    await dialog().getByText('Externer Parser (URL)').waitFor()
    await expectAccessible(page, 'another account’s parser')
    await dialog().getByRole('button', { name: 'Abbrechen' }).click()
    await button('Verwerfen').click()
  })
})

describe('many devices that would use another account’s driver', () => {
  let west: { id: number }
  let foreign: { id: number }

  it('are changed once it is accepted', async () => {
    west = await make.account('Stadtwerk West')
    const gate = await make.connector('Westtor', {}, { accountId: west.id })
    await make.device('Pegel am Steg', 'pegel-4', { connectorId: gate.id })
    foreign = await make.driver('Stegpegel', scriptOf(4))
    await open('/virtual-devices?q=Steg')
    await page.getByRole('checkbox', { name: 'Zeile auswählen' }).first().check()
    await button('Massenänderung').click()
    await button('Weiter').click()
    await page.getByRole('checkbox', { name: 'Treiber' }).check()
    await hands.choice('Treiber').fill('Stegpegel')
    await page.getByRole('option', { name: 'Stegpegel' }).click()
    await button('Weiter').click()
    await field('Titel des Vorgangs').fill('Neuer Treiber')
    await button('1 Gerät ändern').click()
    await dialog().getByText('Treiber eines anderen Accounts').waitFor()
    await dialog().getByRole('button', { name: 'Abbrechen' }).click()
    expect(await accountsOf(foreign.id)).toEqual([])
    await button('1 Gerät ändern').click()
    await dialog().getByRole('button', { name: 'Version 1 annehmen' }).click()
    await says('Fertig')
    expect(await accountsOf(foreign.id)).toEqual(['Stadtwerk West'])
  })

  it('are imported once each driver is accepted, with a warning where packets would leave', async () => {
    const plain = await make.driver('Importpegel', scriptOf(5))
    const folder = mkdtempSync(join(tmpdir(), 'leitstand-drivers-'))
    const path = join(folder, 'pegel.csv')
    writeFileSync(path, 'DevEUI;Titel;Treiber\r\nimport-1;Eins;Importpegel\r\nimport-2;Zwei;Pegel')
    await open('/virtual-devices')
    await button('Geräte importieren').first().click()
    await hands.choice('Account').click()
    await page.getByRole('option', { name: /Stadtwerk West/ }).click()
    await page.getByRole('radio', { name: /Westtor/ }).check()
    await button('Weiter').click()
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button('Datei wählen').click()])
    await chooser.setFiles(path)
    await says('pegel.csv ·')
    rmSync(folder, { recursive: true, force: true })
    await button('Weiter').click()
    await page.getByRole('heading', { name: 'Treiber anderer Accounts' }).waitFor()
    await says(/schickt sie an parser\.example\.org/)
    await expectAccessible(page, 'drivers of an import')
    await field('Titel des Vorgangs').fill('Fremde Treiber')
    await button('2 Geräte anlegen').click()
    await says('Nehmen Sie die Treiber an, oder gehen Sie zurück und wählen Sie andere.')
    expect(await accountsOf(plain.id)).toEqual([])
    for (const box of await page.getByRole('checkbox', { name: /annehmen/ }).all()) await box.check()
    await button('2 Geräte anlegen').click()
    await says('Fertig')
    expect(await accountsOf(plain.id)).toEqual(['Stadtwerk West'])
  })

  it('get it from a template that is saved once it is accepted', async () => {
    const driver = await make.driver('Vorlagenpegel', scriptOf(6))
    await open('/device-templates')
    await button('Vorlage anlegen').first().click()
    await field('Titel').fill('Pegel im Westen')
    for (const [name, text] of [
      ['Account', 'Stadtwerk West'],
      ['Konnektor', 'Westtor'],
      ['Treiber', 'Vorlagenpegel'],
    ] as const) {
      await hands.choice(name).click()
      await hands.choice(name).fill(text)
      await page.getByRole('option', { name: new RegExp(text) }).click()
    }
    await dialog().getByRole('button', { name: 'Vorlage anlegen' }).click()
    await page.getByText('Treiber eines anderen Accounts').waitFor()
    await button('Version 1 annehmen').click()
    await page.getByRole('heading', { name: 'Pegel im Westen' }).waitFor()
    expect(await accountsOf(driver.id)).toEqual(['Stadtwerk West'])
  })
})

async function accountsOf(driverId: number): Promise<string[]> {
  const { items } = await api.get<{ items: { accountName: string }[] }>(
    `/devicedrivers/${driverId}/acceptances`,
  )
  return items.map(({ accountName }) => accountName)
}
