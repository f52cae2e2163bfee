import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import {
  expectAccessible,
  keepPicture,
  openTab,
  type Platform,
  signIn,
  startBrowser,
  startPlatform,
  type Tab,
} from './kit.ts'

/** Pictures and attachments, as somebody uploads, takes and deletes them at a device and at a driver. */

/** 1 × 1, a PNG. */
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let platform: Platform
let browser: Browser
let tab: Tab
let page: Page
let driverId: number
let deviceId: number

beforeAll(async () => {
  platform = await startPlatform()
  const token = await platform.login()
  const { tenantId: accountId } = await platform.api<{ tenantId: number }>(
    ...(['GET', '/auth/verify', undefined, token] as const),
  )
  const connector = await platform.api<{ id: number }>(
    'POST',
    '/bridge/configs',
    { accountId, kind: 'webhook-in', name: 'Netz', settings: {} },
    token,
  )
  const script = 'module.exports = () => ({ ok: true })'
  const driver = await platform.api<{ id: number }>(
    ...(['POST', '/devicedrivers', { accountId, title: 'Raumfühler', script }, token] as const),
  )
  driverId = driver.id
  const device = await platform.api<{ id: number }>(
    'POST',
    '/virtualdevice',
    { title: 'Fühler 12', externalId: 'room-12', connectorId: connector.id, driverId },
    token,
  )
  deviceId = device.id
  browser = await startBrowser()
  tab = await openTab(browser)
  page = tab.page
  await signIn(tab, platform)
})

afterAll(async () => {
  await browser?.close()
  await platform?.[Symbol.asyncDispose]()
})

afterEach(({ task }) => keepPicture(page, task))

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })

/** Presses the button and chooses a file. */
async function upload(label: string, name: string, content: Buffer | string): Promise<void> {
  const choosing = page.waitForEvent('filechooser')
  await button(label).click()
  await (await choosing).setFiles({ name, mimeType: '', buffer: Buffer.from(content) })
}

it('hangs a picture and attachments on a device, hands them out again and deletes them', async () => {
  await page.goto(`${platform.url}/#/virtual-devices/${deviceId}?tab=data`)
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

it('says of a file that is refused why, and keeps the others', async () => {
  await page.goto(`${platform.url}/#/virtual-device-drivers/${driverId}?tab=metadata`)
  await page.getByRole('heading', { name: 'Bild und Anhänge' }).waitFor()
  const choosing = page.waitForEvent('filechooser')
  await button('Anhang hinzufügen').click()
  await (await choosing).setFiles([
    { name: 'plan.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg xmlns="x"/>') },
    { name: 'anleitung.txt', mimeType: 'text/plain', buffer: Buffer.from('Zuerst die Batterie einlegen.') },
  ])
  await button('„anleitung.txt“ herunterladen').waitFor()
  await page.getByText('„plan.svg“ wurde nicht hochgeladen').waitFor()
  await page.getByText(/Dateien dieser Art werden nicht gespeichert/).waitFor()
})
