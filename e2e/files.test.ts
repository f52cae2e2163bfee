import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { expectAccessible, startJourney } from './kit.ts'

/** Pictures and attachments of a device and a driver: upload, download, delete. */

/** 1 × 1, a PNG. */
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const { page, make, open, button } = await startJourney()
const { id: connectorId } = await make.connector('Netz')
const { id: driverId } = await make.driver('Raumfühler', 'module.exports = () => ({ ok: true })')
const { id: deviceId } = await make.device('Fühler 12', 'room-12', { connectorId, driverId })

/** Clicks the button and selects a file. */
async function upload(label: string, name: string, content: Buffer | string): Promise<void> {
  const choosing = page.waitForEvent('filechooser')
  await button(label).click()
  await (await choosing).setFiles({ name, mimeType: '', buffer: Buffer.from(content) })
}

it('hangs a picture and attachments on a device, hands them out again and deletes them', async () => {
  await open(`/virtual-devices/${deviceId}?tab=data`)
  await page.getByRole('heading', { name: 'Bild und Anhänge' }).scrollIntoViewIfNeeded()
  await page.getByText(/Noch keine Anhänge/).waitFor()
  await upload('Bild hochladen', 'einbau.png', dot)
  await page.getByRole('img', { name: 'einbau.png' }).waitFor()
  await button('Bild ersetzen').waitFor()

  await upload('Anhang hinzufügen', 'Datenblatt.csv', 'größe;1\n')
  await button('„Datenblatt.csv“ herunterladen').waitFor()
  await expectAccessible(page, 'a device with files')
  const downloading = page.waitForEvent('download')
  await button('„Datenblatt.csv“ herunterladen').click()
  const taken = await downloading
  expect(taken.suggestedFilename()).toBe('Datenblatt.csv')
  expect(readFileSync(await taken.path(), 'utf8')).toBe('größe;1\n')

  await button('„Datenblatt.csv“ löschen').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Löschen', exact: true }).click()
  await page.getByText(/Noch keine Anhänge/).waitFor()
})

it('says what is no picture, and what is too large', async () => {
  await upload('Bild ersetzen', 'bild.png', 'kein Bild')
  await page.getByText('Die Datei ist kein Bild. Möglich sind JPEG, PNG und WebP.').waitFor()
  await page.getByRole('img', { name: 'einbau.png' }).waitFor()
  await upload('Anhang hinzufügen', 'gross.bin', Buffer.alloc(10 * 1_048_576 + 1))
  await page.getByText('„gross.bin“ wurde nicht hochgeladen').waitFor()
  await page.getByText('Der Inhalt ist größer als erlaubt.').waitFor()
})

it('says of a file that is refused why, and keeps the others', async () => {
  await open(`/virtual-device-drivers/${driverId}?tab=metadata`)
  await page.getByRole('heading', { name: 'Bild und Anhänge' }).waitFor()
  const choosing = page.waitForEvent('filechooser')
  await button('Anhang hinzufügen').click()
  await (await choosing).setFiles([
    { name: 'plan.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg xmlns="x"/>') },
    { name: 'anleitung.txt', mimeType: 'text/plain', buffer: Buffer.from('Zuerst die Batterie einlegen.') },
  ])
  await button('„anleitung.txt“ herunterladen').waitFor()
  await page.getByText('„plan.svg“ wurde nicht hochgeladen').waitFor()
  await page.getByText(/Dieser Dateityp wird nicht unterstützt/).waitFor()
})
