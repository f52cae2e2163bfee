import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
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

/** The drivers that come with the platform, and how one of them is installed. */

let platform: Platform
let browser: Browser
let tab: Tab
let page: Page

beforeAll(async () => {
  platform = await startPlatform()
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

const says = (text: string | RegExp) => page.getByText(text).first().waitFor()

describe('the driver library', () => {
  it('is reached from the drivers, and found in by maker, model and purpose', async () => {
    await page.goto(`${platform.url}/#/virtual-device-drivers`)
    await page.getByRole('button', { name: 'Treiberbibliothek' }).click()
    await page.getByRole('heading', { name: 'Treiberbibliothek' }).waitFor()
    await page.getByRole('link', { name: 'Adeunis Pulse' }).waitFor()
    await expectAccessible(page, 'driver library')
    await page.getByRole('textbox', { name: 'Hersteller, Modell oder Zweck' }).fill('nwave parking')
    await page.getByRole('link', { name: 'Nwave NPS405' }).waitFor()
    await page.getByRole('link', { name: 'Adeunis Pulse' }).waitFor({ state: 'detached' })
  })

  it('installs by one click what is not installed', async () => {
    const token = await platform.login()
    const { driverId } = await platform.api<{ driverId: number }>(
      'GET',
      '/devicedrivers/library/nwave-nps405',
      undefined,
      token,
    )
    await platform.api('DELETE', `/devicedrivers/${driverId}`, undefined, token)
    await page.reload()
    await page.getByRole('button', { name: 'Nwave NPS405 installieren' }).click()
    await says('„Nwave NPS405“ ist installiert und kann für Geräte gewählt werden.')
    await page.getByRole('button', { name: 'Nwave NPS405 installieren' }).waitFor({ state: 'detached' })
  })

  it('shows what a driver reads, and leads to the installed one', async () => {
    await page.getByRole('link', { name: 'Nwave NPS405' }).click()
    await page.getByRole('heading', { name: 'Nwave NPS405' }).waitFor()
    await page.getByRole('cell', { name: 'occupied' }).waitFor()
    await says('Seit zwei Tagen keine Meldung')
    await expectAccessible(page, 'delivered driver')
    await page.getByRole('link', { name: 'Zum installierten Treiber' }).click()
    await page.getByRole('tab', { name: /Versionen/ }).waitFor()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Nwave NPS405')
  })
})
