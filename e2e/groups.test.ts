import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, handsOn, phone, startJourney } from './kit.ts'

/** Smart groups: made from a filter, looked at, changed, and deleted. */

const { page, token, tabOf, api, make, platform, ...hands } = await startJourney()
const { open, button, field, dialog, heading, row, says, tabNamed, choose } = hands
const { id: connectorId } = await make.connector('Stadtwerke', { preset: 'standard' })
for (const [title, externalId] of [
  ['Tonne 1', 'bin-1'],
  ['Tonne 2', 'bin-2'],
  ['Laterne', 'lamp-1'],
] as const)
  await make.device(title, externalId, { connectorId, tags: title === 'Laterne' ? ['Licht'] : ['Abfall'] })
const key = await make.key('Stadtwerke')
const send = await fetch(`${platform.url}/api/hooks/${key}`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ identifier: 'bin-1', payload: 'd2' }),
})
expect(send.status).toBeLessThan(300)

const cards = () =>
  page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.locator('a[href*="virtual-device-groups/"]') })

describe('a smart group', () => {
  it('is made from a filter, and says beforehand what belongs to it', async () => {
    await open('/virtual-device-groups')
    await says('Noch keine Gerätegruppe')
    await expectAccessible(page, 'no smart groups')
    await button('Gerätegruppe anlegen').first().click()
    const form = handsOn(dialog())
    await says('3 Geräte gehören dazu.')
    await expectAccessible(page, 'new smart group')
    await form.button('Gerätegruppe anlegen').click()
    await says('Dieses Feld ist erforderlich')
    await form.field('Titel').fill('Tonnen')
    await form.field('Titel, Kennung oder ID').fill('Tonne')
    await says('2 Geräte gehören dazu.')
    await form.button('Gerätegruppe anlegen').click()
    await heading('Tonnen').waitFor()
  })

  it('shows the health of its devices, their packets, and which they are', async () => {
    await heading('Zustand der Geräte').waitFor()
    await says('Pakete pro Stunde (24 h)')
    await expect.poll(() => page.locator('canvas').count()).toBe(2)
    await says('1 / 2')
    await expectAccessible(page, 'smart group')
    await tabNamed('Geräte').click()
    await row(/Tonne 1/).waitFor()
    await row(/Tonne 2/).waitFor()
    expect(await row(/Laterne/).count()).toBe(0)
    await field('Titel, Kennung oder ID').fill('bin-2')
    await row(/Tonne 1/).waitFor({ state: 'detached' })
    await expectAccessible(page, 'devices of a smart group')
    await tabNamed('Dateien und Verwendung').click()
    await says('Was die Geräte dieser Gruppe verwendet.')
    await expectAccessible(page, 'files of a smart group')
  })

  it('watches its packets', async () => {
    await tabNamed('Überwachung').click()
    await button('Gerätegruppe bearbeiten').click()
    const form = handsOn(dialog())
    await dialog().getByRole('switch', { name: 'Überwachen, ob die Geräte genug Pakete senden' }).check()
    await choose('Erwartet wird', 'eine feste Zahl')
    await form.field('Pakete am Tag').fill('')
    await form.button('Speichern').click()
    await says('Geben Sie an, wie viele Pakete erwartet werden.')
    await form.field('Pakete am Tag').fill('48')
    await expectAccessible(page, 'monitoring of a smart group')
    await form.button('Speichern').click()
    await says('Unter 50 % in 24 Stunden')
    await says('1 / 96')
    await says('Kein Gerät unter der Schwelle')
  })

  it('is made from the filter of the device list, too', async () => {
    await open('/virtual-devices?tag=Licht')
    await row(/Laterne/).waitFor()
    await button('Gespeicherte Filter').click()
    await page.getByRole('menuitem', { name: 'Gerätegruppe aus diesem Filter …' }).click()
    await says('1 Gerät gehört dazu.')
    await handsOn(dialog()).field('Titel').fill('Lichter')
    await handsOn(dialog()).button('Gerätegruppe anlegen').click()
    await heading('Lichter').waitFor()
    await open('/virtual-device-groups')
    await expect.poll(() => cards().count()).toBe(2)
    await expect.poll(() => cards().nth(0).textContent()).toContain('Tags: Licht')
    await expect.poll(() => cards().nth(1).textContent()).toMatch(/2 Geräte/)
    await expectAccessible(page, 'smart groups')
    await field('Gruppen suchen').fill('Tonn')
    await expect.poll(() => cards().count()).toBe(1)
  })

  it('is on a map, and found by its name from anywhere', async () => {
    await open('/virtual-device-groups/map')
    await heading('Karte der Gerätegruppe').waitFor()
    await says('Kein Gerät mit Position')
    await expectAccessible(page, 'map of a smart group')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Tonnen')
    await page
      .getByRole('option', { name: /Tonnen/ })
      .first()
      .click()
    await heading('Tonnen').waitFor()
  })

  it('can be read on a phone at night', async () => {
    const address = page.url().replace(/^[^#]*#/, '')
    const small = await tabOf(token, { ...phone, locale: 'de-DE' })
    for (const [path, name] of [
      ['/virtual-device-groups', 'smart groups on a phone'],
      [address, 'smart group on a phone'],
    ] as const) {
      await open(path, small.page)
      await small.page.getByText('Tonnen').first().waitFor()
      await expectFits(small.page, name)
      await expectAccessible(small.page, name)
    }
    await open('/virtual-device-groups?create=1', small.page)
    await small.page.getByText('3 Geräte gehören dazu.').waitFor()
    await expectFits(small.page, 'new smart group on a phone')
    await expectAccessible(small.page, 'new smart group on a phone')
  })

  it('is deleted without its devices', async () => {
    await button('Mehr').click()
    await page.getByRole('menuitem', { name: 'Gerätegruppe löschen' }).click()
    await handsOn(dialog()).button('Gerätegruppe löschen').click()
    await says('„Tonnen“ wurde gelöscht.')
    expect(await api.get('/virtualdevice/views')).toMatchObject({ total: 1 })
    expect(await api.get('/virtualdevice')).toMatchObject({ total: 3 })
  })
})
