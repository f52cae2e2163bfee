import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, handsOn, phone, startJourney } from './kit.ts'

/** Exports of values: set up at a list, run in the background, downloaded, saved and run again. */

const { page, make, platform, ...hands } = await startJourney()
const { open, button, dialog, row, says } = hands
const { id: connectorId } = await make.connector('Werke', { preset: 'standard' })
for (const [title, externalId] of [
  ['Zähler Nord', 'north'],
  ['Zähler Süd', 'south'],
] as const)
  await make.device(title, externalId, { connectorId })
const key = await make.key('Werke')
for (const [identifier, payload] of [
  ['north', '0bb8'],
  ['south', '0fa0'],
]) {
  const sent = await fetch(`${platform.url}/api/hooks/${key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier, payload }),
  })
  expect(sent.status).toBeLessThan(300)
}

/** What the browser saves after a click. */
async function saved(click: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), click()])
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
}

describe('an export', () => {
  it('is set up for selected devices, and says what belongs to it', async () => {
    await open('/virtual-devices')
    for (const title of [/Zähler Nord/, /Zähler Süd/]) await row(title).getByRole('checkbox').check()
    await button('Werte exportieren').click()
    await says('2 Geräte.')
    await expectAccessible(page, 'export')
    const form = handsOn(dialog())
    await form.field('Titel').fill('Kurz')
    await form.field('Titel').fill('Zähler heute')
    await dialog().getByRole('combobox', { name: 'Zeitraum' }).click()
    await page.getByRole('option', { name: 'Heute' }).click()
    await dialog().getByText('CSV', { exact: true }).click()
    await form.button('Spalten und Format').click()
    await dialog().getByLabel('Titel der Spalte Wert').fill('Stand')
    await dialog().getByLabel('Für später speichern').check()
    await form.button('Export starten').click()
    await page.waitForURL(/background-jobs\?job=/)
    await says('Fertig')
  })

  it('has a file with the columns that were chosen', async () => {
    const { name, text } = await saved(() => button('Herunterladen').click())
    expect(name).toMatch(/^Zähler heute \d{4}-\d\d-\d\d\.csv$/)
    const [header] = text.split('\r\n')
    expect(header).toContain(';Schlüssel;Stand;Einheit')
    await expectAccessible(page, 'export that is done')
  })

  it('is run again from the saved ones', async () => {
    await open('/background-jobs')
    await page.getByRole('main').getByRole('link', { name: 'Zähler heute' }).waitFor()
    await button('Gespeicherte Exporte').click()
    await dialog().getByText('Zähler heute').waitFor()
    await expectAccessible(page, 'saved exports')
    await handsOn(dialog()).button('Ausführen').click()
    await page.waitForURL(/background-jobs\?job=/)
    await says('Fertig')
  })

  it('can be read on a phone, and its file be deleted', async () => {
    await page.setViewportSize(phone)
    await expectFits(page, 'export on a phone')
    await button('Datei löschen').click()
    await says('kann danach nicht mehr heruntergeladen werden')
    await handsOn(dialog()).button('Datei löschen').click()
    await says('Datei gelöscht')
  })
})
