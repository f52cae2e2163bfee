import type { Locator, Page, Request } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { expectAccessible, startJourney } from './kit.ts'

/** The same work under other circumstances: by keyboard alone, over a slow network, offline, in a second tab. */

const { page, tab, platform, token, accountId, api, make, open, openAnew, tabOf, ...hands } =
  await startJourney()
const { button, dialog, field, says } = hands

const { id: connectorId } = await make.connector('Werkstor', {
  preset: 'standard',
  template: '',
  messagesPerSecond: null,
})
const { id: deviceId } = await make.device('Halle 01', 'halle-01', { connectorId })
for (let at = 2; at <= 30; at += 1) {
  const number = String(at).padStart(2, '0')
  await make.device(`Halle ${number}`, `halle-${number}`, { connectorId })
}
const { id: twinId } = await api.post<{ id: number }>('/digitaltwin', { title: 'Presse', accountId })
const { id: stateId } = await api.post<{ id: number }>('/digitaltwin/states', {
  dtwinId: twinId,
  key: 'temp',
  title: 'Temperatur',
  unit: '°C',
  source: 'none',
})
await api.put(`/digitaltwin/states/${stateId}/value`, { value: 34 })

const isFocused = (locator: Locator) =>
  locator.first().evaluate((element) => element === document.activeElement)

/** Whether the focused element shows it: by an outline, a shadow or a border that differs from its usual one. */
const showsFocus = (on: Page) =>
  on.evaluate(() => {
    const element = document.activeElement
    if (!(element instanceof HTMLElement)) return false
    const look = () => {
      const { outlineStyle, outlineColor, boxShadow, borderColor } = getComputedStyle(element)
      return [outlineStyle, outlineColor, boxShadow, borderColor].join(' ')
    }
    const focused = look()
    element.blur()
    const usual = look()
    element.focus({ focusVisible: true } as FocusOptions)
    return focused !== usual
  })

/** More than any screen of these tests has. */
const tabsMax = 80

/** Presses Tab until the element has the focus, and shows it. */
async function tabTo(locator: Locator): Promise<void> {
  await locator.first().waitFor()
  for (let presses = 0; presses < tabsMax; presses += 1) {
    if (await isFocused(locator)) {
      await expect.poll(() => showsFocus(page), { message: `${locator} shows the focus` }).toBe(true)
      return
    }
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${locator}`)
}

describe('by keyboard alone', () => {
  it('creates a dashboard with a value', async () => {
    await open('/home')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('dashboard anlegen')
    await page.getByRole('option', { name: /Dashboard anlegen/ }).waitFor()
    await page.keyboard.press('Enter')
    await dialog().getByRole('textbox', { name: 'Name' }).waitFor()
    await page.keyboard.type('Tastatur')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Tastatur' }).waitFor()
    await tabTo(button('Widget hinzufügen'))
    await page.keyboard.press('Enter')
    await tabTo(dialog().getByRole('button', { name: /^Werte/ }))
    await page.keyboard.press('Enter')
    await tabTo(dialog().getByRole('combobox', { name: /^Datenpunkte/ }))
    await page.keyboard.type('presse')
    await page.getByRole('option', { name: /Presse/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await tabTo(dialog().getByRole('button', { name: 'Widget hinzufügen' }))
    await page.keyboard.press('Enter')
    await dialog().waitFor({ state: 'detached' })
    await page.keyboard.press('Control+s')
    await button('Bearbeiten').waitFor()
    await says(/^34/)
  })

  it('reaches the content past the menu, opens a device, and comes back to it', async () => {
    await openAnew('/virtual-devices')
    await page.getByRole('main').getByRole('link', { name: 'Halle 02' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await tabTo(page.getByRole('main').getByRole('link', { name: 'Halle 02' }))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Halle 02' }).waitFor()
    await page.goBack()
    await page.getByRole('main').getByRole('link', { name: 'Halle 02' }).waitFor()
  })

  it('opens a dialog, closes it, and is where it was', async () => {
    await open(`/virtual-devices/${deviceId}`)
    await tabTo(button('Mehr'))
    await page.keyboard.press('Enter')
    await page.getByRole('menu').waitFor()
    await page.getByRole('menuitem', { name: 'Deaktivieren' }).waitFor()
    for (const _ of ['Deaktivieren', 'Gerät löschen']) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await dialog().waitFor()
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await expect.poll(() => isFocused(button('Mehr'))).toBe(true)
  })
})

describe('over a slow network', () => {
  it('stores once, however often one presses', async () => {
    await open(`/virtual-devices/${deviceId}?tab=data`)
    const version = async () => (await api.get<{ version: number }>(`/virtualdevice/${deviceId}`)).version
    const before = await version()
    const network = await tab.context.newCDPSession(page)
    await network.send('Network.enable')
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 1_500,
      downloadThroughput: 50_000,
      uploadThroughput: 50_000,
    })
    await field('Titel').fill('Halle eins')
    await page.keyboard.press('Control+s')
    await page.keyboard.press('Control+s')
    await page.keyboard.press('Control+s')
    await page.getByRole('heading', { level: 1, name: 'Halle eins' }).waitFor()
    expect(await version()).toBe(before + 1)
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
    })
  })

  it('says after 15 seconds that it takes long, and asks again when told to', async () => {
    const slow = await tabOf(token)
    await slow.page.clock.install()
    let isHeld = true
    const pending = new Set<Request>()
    slow.page.on('request', (request) => pending.add(request))
    slow.page.on('requestfinished', (request) => pending.delete(request))
    slow.page.on('requestfailed', (request) => pending.delete(request))
    await slow.page.route(`**/api/virtualdevice/${deviceId}`, async (route) => {
      if (!isHeld) await route.continue()
    })
    await slow.page.goto(`${platform.url}/#/virtual-devices/${deviceId}`)
    await slow.page.getByRole('main').getByRole('status', { name: 'Wird geladen' }).first().waitFor()
    // Everything but what is held has come before time passes.
    await expect
      .poll(() => [...pending].map((request) => new URL(request.url()).pathname))
      .toEqual([`/api/virtualdevice/${deviceId}`])
    await slow.page.clock.fastForward(16_000)
    await slow.page.getByText('Das dauert länger als üblich.').first().waitFor()
    await expectAccessible(slow.page, 'a page that takes long')
    isHeld = false
    await slow.page.getByRole('button', { name: 'Erneut versuchen' }).first().click()
    await slow.page.getByRole('heading', { level: 1, name: 'Halle eins' }).waitFor()
    await slow.context.close()
  })
})

describe('offline', () => {
  it('shows the last data with its age, keeps what is entered, and stores it later', async () => {
    await open(`/virtual-devices/${deviceId}?tab=data`)
    await tab.context.setOffline(true)
    await says('Keine Netzverbindung.')
    await says('Letzter Stand:')
    await page.getByRole('heading', { level: 1, name: 'Halle eins' }).waitFor()
    await field('Titel').fill('Halle 01')
    await button('Speichern').click()
    await says('Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung.')
    expect(await field('Titel').inputValue()).toBe('Halle 01')
    await expectAccessible(page, 'offline')
    await tab.context.setOffline(false)
    await page.getByText('Keine Netzverbindung.').waitFor({ state: 'detached' })
    await button('Speichern').click()
    await page.getByRole('heading', { level: 1, name: 'Halle 01' }).waitFor()
  })

  it('waits with a screen whose code is not there yet, and shows it when it is', async () => {
    const fresh = await tabOf(token)
    await open('/home', fresh.page)
    await fresh.page.waitForLoadState('networkidle')
    await fresh.context.setOffline(true)
    await fresh.page.evaluate(() => {
      location.hash = '#/system-logs'
    })
    await fresh.page.getByText('Keine Netzverbindung.').waitFor()
    await fresh.page.getByRole('status', { name: 'Wird geladen' }).first().waitFor()
    await fresh.context.setOffline(false)
    await fresh.page.getByRole('heading', { level: 1, name: 'Protokolle' }).waitFor()
    await fresh.page.getByRole('main').getByRole('table').first().waitFor()
    await fresh.context.close()
  })
})

describe('in a second tab', () => {
  it('says whose change came first, and loses neither', async () => {
    const second = await tab.context.newPage()
    await open(`/virtual-devices/${deviceId}?tab=data`)
    await open(`/virtual-devices/${deviceId}?tab=data`, second)
    await field('Titel').fill('Halle A')
    await second.getByRole('textbox', { name: 'Titel', exact: true }).fill('Halle B')
    await button('Speichern').click()
    await page.getByRole('heading', { level: 1, name: 'Halle A' }).waitFor()
    await second.getByRole('button', { name: 'Speichern' }).click()
    await second
      .getByText(/inzwischen/)
      .first()
      .waitFor()
    expect(await second.getByRole('textbox', { name: 'Titel', exact: true }).inputValue()).toBe('Halle B')
    await second.close()
  })

  it('signs out everywhere', async () => {
    const theirs = await tabOf(await platform.login())
    const second = await theirs.context.newPage()
    await open('/home', theirs.page)
    await open('/virtual-devices', second)
    await theirs.page
      .getByRole('button', { name: /^Konto|Benutzermenü|admin/i })
      .first()
      .click()
    await theirs.page.getByRole('menuitem', { name: 'Abmelden' }).click()
    await second.waitForURL(/#\/login/)
    await theirs.context.close()
  })
})
