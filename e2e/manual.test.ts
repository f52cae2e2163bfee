import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDemoCity } from './kit/demoCity.ts'
import {
  callerOf,
  expectAccessible,
  expectFits,
  handsOn,
  openTab,
  phone,
  root,
  sharedBrowser,
} from './kit.ts'

/**
 * The manual, and its pictures of the demo city. `PICTURES=write` puts the pictures into the manual, in both languages;
 * otherwise it is only seen that each can be taken.
 */

const isWriting = process.env.PICTURES === 'write'
const folder = join(root, 'packages', 'web', 'src', 'features', 'help', 'manual', 'pictures')
const [width, height] = [1200, 750]
/** how long a place may take to show its data */
const settleMs = 8_000

const platform = await startDemoCity(isWriting ? 3 : 1)
const browser = await sharedBrowser()
afterAll(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
  await platform[Symbol.asyncDispose]()
})
const token = await platform.login()
const api = callerOf(platform, token)
const session = { url: platform.url, token }

const find = async (path: string) => {
  const { items } = await api.get<{ items: { id: number }[] }>(path)
  if (!items[0]) throw new Error(`the demo city has nothing at ${path}`)
  return items[0].id
}
/** What each picture shows. */
let places: Record<string, string> = {}

/** Changes the look of the installation, as an administrator does in the system settings. */
async function setBrand(changes: object): Promise<void> {
  const { tenantId } = await api.get<{ tenantId: number }>('/auth/verify')
  const { items } = await api.get<{ items: { domain: string; version: number; settings: object }[] }>(
    `/tenant/${tenantId}/brands`,
  )
  const { domain = '', version = 0, settings = {} } = items[0] ?? {}
  await api.put(`/tenant/${tenantId}/brand`, { domain, version, settings: { ...settings, ...changes } })
}

beforeAll(async () => {
  // The manual is shown under other names, too: its pictures show none.
  await setBrand({})
  const school = await find(`/digitaltwin?search=${encodeURIComponent('Grundschule am Park')}`)
  const { items: accounts } = await api.get<{ items: { id: number; name: string }[] }>('/tenant/fetch/all')
  const city = accounts.find(({ name }) => name === 'Stadt Sonnenhausen')?.id
  places = {
    home: '/home',
    connectors: '/connectors/list',
    devices: '/virtual-devices',
    device: `/virtual-devices/${await find('/virtualdevice?tags=Klima&limit=1')}`,
    drivers: '/virtual-device-drivers',
    templates: '/device-templates',
    groups: '/virtual-device-groups',
    twin: `/digitaltwin-mgmt/${school}`,
    map: `/digitaltwin-mgmt/map/twin/${school}`,
    rules: '/digitaltwin/rules-monitor',
    alarms: '/alarm-logs',
    tickets: '/fm-ticketing-mgmt',
    ticketReport: `/fm-add-ticket?twin=${school}`,
    keys: '/fm-access-mgmt',
    myKeys: '/fm-access',
    assets: '/is-assetmgmt/assets',
    monitor: `/is-warnapp-viewer?twins=${await find('/isWarnapp')}`,
    dashboard: `/dashboards/${await find('/dashboards?search=Raumklima')}`,
    schedules: '/scheduled-exports',
    jobs: '/background-jobs?tab=devices',
    accounts: `/account-mgmt/${city}`,
    roles: '/account-mgmt-roles',
    settings: '/system-settings',
    logs: '/system-logs',
    profile: '/user-profile',
  }
})

describe('pictures of the demo city', () => {
  for (const language of isWriting ? ['de', 'en'] : ['de'])
    it(`are taken in ${language}`, async () => {
      const locale = language === 'de' ? 'de-DE' : 'en-GB'
      const { page, context } = await openTab(browser, { width, height, locale, session, sharp: isWriting })
      const devtools = await context.newCDPSession(page)
      for (const [name, path] of Object.entries(places)) {
        // Loaded from the beginning, so that the end of loading can be waited for.
        await page.goto('about:blank')
        await page.goto(`${platform.url}/#${path}`)
        await page
          .getByRole('heading', { level: 1 })
          .filter({ hasNotText: /^(Wird geladen|Loading)/ })
          .first()
          .waitFor()
        await page.waitForLoadState('networkidle')
        // A map drawn in software may still load its last tiles: the picture is taken all the same.
        const until = Date.now() + settleMs
        await page.waitForFunction(
          (end) =>
            Date.now() > end || document.querySelector('#main .mantine-Skeleton-root[data-visible]') === null,
          until,
        )
        const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
        const bytes = Buffer.from(data, 'base64')
        expect(bytes.length).toBeGreaterThan(4_000)
        if (!isWriting) continue
        mkdirSync(join(folder, language), { recursive: true })
        writeFileSync(join(folder, language, `${name}.webp`), bytes)
      }
      await context.close()
    })

  it('are those that the manual has', () => {
    for (const language of ['de', 'en'])
      for (const name of Object.keys(places))
        expect(readFileSync(join(folder, language, `${name}.webp`)).toString('latin1', 0, 4)).toBe('RIFF')
  })
})

describe('the manual', () => {
  it('is closed to visitors until the operator opens it', async () => {
    const { page, context } = await openTab(browser)
    const hands = handsOn(page)
    await page.goto(`${platform.url}/#/manual`)
    await hands.heading('Das Handbuch ist nach der Anmeldung zu lesen').waitFor()
    await expectAccessible(page, 'closed manual')
    await setBrand({ publicManual: true })
    await page.goto('about:blank')
    await page.goto(`${platform.url}/#/manual/devices`)
    await page.getByRole('heading', { name: 'Geräte', level: 1, exact: true }).waitFor()
    await page
      .getByRole('img', { name: /Bildschirmfoto/ })
      .first()
      .waitFor()
    await expectAccessible(page, 'page of the manual')
    await context.close()
  })

  it('is searched, and read on a phone', async () => {
    const { page, context } = await openTab(browser, phone)
    const titled = (name: string) => page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
    await page.goto(`${platform.url}/#/manual`)
    await titled('First steps')
    await expectFits(page, 'manual on a phone')
    await page.getByRole('searchbox').fill('snoze')
    await page.getByRole('link', { name: 'Alarms: Working with alarms' }).click()
    await titled('Alarms')
    await page.getByRole('combobox', { name: 'Contents' }).selectOption('Rules')
    await titled('Rules')
    await page.getByRole('searchbox').fill('zzzz')
    await page.getByText('Nothing found.').waitFor()
    await expectFits(page, 'manual without hits')
    await context.close()
  })

  it('is shown beside a screen, by the button and by F1', async () => {
    const { page, context } = await openTab(browser, { session })
    const hands = handsOn(page)
    await page.goto(`${platform.url}/#/alarm-logs`)
    await hands.button('Hilfe zu dieser Seite').waitFor()
    await page.keyboard.press('F1')
    await hands.dialog().getByText('Ein Alarm entsteht durch eine Regel').waitFor()
    await expectAccessible(page, 'help beside a screen')
    await page.keyboard.press('Escape')
    await hands.dialog().waitFor({ state: 'detached' })
    await page.goto(`${platform.url}/#/connectors/list`)
    await hands.button('Hilfe zu dieser Seite').click()
    await hands.dialog().getByRole('link', { name: 'Im Handbuch öffnen' }).click()
    await page.getByRole('heading', { name: 'Konnektoren', level: 1, exact: true }).waitFor()
    await page.getByRole('link', { name: 'Zur Oberfläche' }).waitFor()
    await context.close()
  })
})
