import { describe, expect, it } from 'vitest'
import { adminPassword, callerOf, expectAccessible, startJourney, type Tab, thingsFor } from './kit.ts'

/** API keys, what a role hides, changing the password, an account with devices; and all of it by keyboard. */

const journey = await startJourney({ isAlone: true })
const { tab, page, platform, username, open, openAnew, button, dialog, field, tabOf } = journey
let { api, make } = journey
const account = await make.account('Wasserwerk')

describe('a key for a program', () => {
  let key: string
  const callWith = async (with_: string) =>
    (await fetch(`${platform.url}/api/virtualdevice`, { headers: { 'x-api-key': with_ } })).status
  const shownKey = async () => {
    await dialog().getByText('Er wird nicht noch einmal angezeigt.').waitFor()
    return (await dialog().getByText(/^lsk_/).textContent()) ?? ''
  }
  const menu = async (entry: string) => {
    await page.getByRole('button', { name: 'Aktionen' }).click()
    await page.getByRole('menuitem', { name: entry }).click()
  }

  it('is created with the keyboard alone, and shown once', async () => {
    await open(`/account-mgmt/${account.id}?tab=keys`)
    await page.getByText('Noch keine API-Schlüssel').waitFor()
    await button('API-Schlüssel anlegen').press('Enter')
    const title = dialog().getByRole('textbox', { name: 'Titel' })
    await title.waitFor()
    await expectFocus(title)
    await page.keyboard.type('Leitwarte')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Betrachter')
    await page.getByRole('option', { name: 'Betrachter', exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expectAccessible(page, 'new key')
    await title.press('Enter')
    key = await shownKey()
    await expectAccessible(page, 'the key, once')
    expect(await callWith(key)).toBe(200)
    await button('Ich habe ihn kopiert').press('Enter')
    await page.getByText(`${key.slice(0, 10)}…`).waitFor()
    expect(await page.getByText(key, { exact: true }).count()).toBe(0)
    await expectAccessible(page, 'keys')
  })

  it('gets a new token at once, and the old one ends', async () => {
    await menu('Schlüssel ersetzen')
    await dialog().getByRole('combobox').or(dialog().getByRole('textbox')).first().click()
    await page.getByRole('option', { name: 'gar nicht' }).click()
    await dialog().getByRole('button', { name: 'Schlüssel ersetzen' }).click()
    const fresh = await shownKey()
    expect([await callWith(key), await callWith(fresh)]).toEqual([401, 200])
    key = fresh
    await button('Ich habe ihn kopiert').click()
  })

  it('is deleted', async () => {
    await menu('API-Schlüssel löschen')
    await dialog().getByRole('button', { name: 'API-Schlüssel löschen' }).click()
    await page.getByText('Noch keine API-Schlüssel').waitFor()
    expect(await callWith(key)).toBe(401)
  })
})

describe('a role', () => {
  it('hides what it takes away: the entry of the menu, and the screen behind it', async () => {
    const rules = [
      { subject: 'DigitalTwin', actions: ['read', 'list'] },
      { subject: 'Dashboards', actions: ['read', 'list'] },
    ]
    const role = { name: 'Lage und Zwillinge', accountId: account.id }
    const made = await api.post<{ id: number; version: number }>('/acl/role', { ...role, rules })
    const theirs = await somebody('lena', made.id)
    const entry = (name: string) =>
      theirs.page.getByRole('navigation', { name: 'Hauptmenü' }).getByRole('link', { name, exact: true })
    await open('/home', theirs.page)
    await entry('Digitale Zwillinge').waitFor()
    await entry('Dashboards').waitFor()

    const without = [...rules, { subject: 'Dashboards', actions: ['read', 'list'], inverted: true }]
    const changed = { name: role.name, rules: without, version: made.version }
    await api.put(`/acl/role/${made.id}`, changed)
    await theirs.page.reload()
    await entry('Digitale Zwillinge').waitFor()
    expect(await entry('Dashboards').count()).toBe(0)
    await theirs.page.goto(`${platform.url}/#/dashboards`)
    await theirs.page.waitForURL(/#\/home/)
    expect(theirs.problems).toEqual([])
    await theirs.context.close()
  })

  it('without digital twins shows a device without its rules', async () => {
    const rules = [{ subject: 'VirtualDevice', actions: ['read', 'list'] }]
    const made = await api.post<{ id: number }>('/acl/role', {
      name: 'Nur Geräte',
      accountId: account.id,
      rules,
    })
    const things = thingsFor(api, account.id)
    const connector = await things.connector('Pumpwerk')
    const { id } = await things.device('Pumpe', 'pump-1', { connectorId: connector.id })
    const theirs = await somebody('paul', made.id)
    await open(`/virtual-devices/${id}`, theirs.page)
    await theirs.page.getByRole('tab', { name: 'Datenrouting' }).waitFor()
    expect(await theirs.page.getByRole('tab', { name: 'Regeln' }).count()).toBe(0)
    expect(theirs.problems).toEqual([])

    await theirs.context.close()
    await api.delete(`/virtualdevice/${id}`)
    await api.delete(`/bridge/configs/${connector.id}`)
  })
})

describe('a twin with a scope of its own', () => {
  it('is what a role can be given on: the user sees only that part of the tree', async () => {
    const city = await make.account('Stadtwerke')
    const twin = (title: string, parentId: number | null) =>
      api.post<{ id: number }>('/digitaltwin', {
        title,
        parentId,
        ...(parentId === null ? { accountId: city.id } : {}),
      })
    const site = await twin('Standort Mitte', null)
    const hall = await twin('Rathaus', site.id)
    await twin('Sitzungssaal', hall.id)
    await twin('Werkstatt', site.id)
    const nora = await make.user('nora', city, 'Viewer')

    await open(`/digitaltwin-mgmt/${hall.id}`)
    const ask = async () => {
      await button('Aktionen für Rathaus').click()
      await page.getByRole('menuitem', { name: 'Eigener Bereich …' }).click()
    }
    await ask()
    await dialog()
      .getByText(/Bestehende Rechte ändern sich nicht/)
      .waitFor()
    await expectAccessible(page, 'a twin without a scope of its own')
    await dialog().getByRole('button', { name: 'Eigenen Bereich anlegen' }).click()
    await dialog()
      .getByText(/^Noch keine\./)
      .waitFor()
    await expectAccessible(page, 'a twin with a scope of its own')
    await dialog().getByRole('link', { name: 'Zu den Benutzern' }).click()

    await page.getByRole('row').filter({ hasText: 'nora@example.org' }).getByRole('link').first().click()
    const access = page.getByRole('group', { name: 'Zugriff 1' })
    await access.getByLabel('Bereich', { exact: true }).click()
    await page.getByRole('option', { name: /Stadtwerke \/ Rathaus$/ }).click()
    await button('Speichern').click()
    await button('Speichern').waitFor({ state: 'detached' })

    const { token } = await api.post<{ token: string }>('/auth/impersonate', { userId: nora.id })
    const theirs = await tabOf(token)
    await open('/digitaltwin-mgmt', theirs.page)
    await theirs.page.getByText('Rathaus').first().waitFor()
    await open('/digitaltwin-mgmt/list', theirs.page)
    await theirs.page.getByText('Sitzungssaal').first().waitFor()
    for (const hidden of ['Standort Mitte', 'Werkstatt'])
      expect(await theirs.page.getByText(hidden).count()).toBe(0)
    for (const path of [
      '/home',
      '/virtual-devices',
      '/digitaltwin-state-overview',
      '/alarm-logs',
      '/dashboards',
    ])
      await openAnew(path, theirs.page)
    await open(`/digitaltwin-mgmt/${hall.id}`, theirs.page)
    await theirs.page.getByText('Eigener Bereich').waitFor()
    expect(theirs.problems).toEqual([])
    await theirs.context.close()

    // The scope can only be removed once nobody has a role on it.
    await open(`/digitaltwin-mgmt/${hall.id}`)
    await ask()
    const remove = dialog().getByRole('button', { name: 'Bereich auflösen' })
    await dialog().getByRole('link', { name: 'nora' }).waitFor()
    expect(await remove.isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await api.delete(`/user/${nora.id}`)
    await ask()
    await remove.click()
    await dialog().getByRole('button', { name: 'Eigenen Bereich anlegen' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Eigener Bereich', { exact: true }).waitFor({ state: 'detached' })
  })
})

describe('the own password', () => {
  it('is changed in the profile; other sessions end and this one goes on', async () => {
    const other = await platform.login()
    await open('/user-profile')
    await field('Bisheriges Passwort').fill('not this one')
    await field('Neues Passwort').fill('Something quite new 7')
    await field('Neues Passwort wiederholen').fill('Something quite new 7')
    await button('Passwort ändern').click()
    await page.getByText('Benutzername oder Passwort').first().waitFor()
    await field('Bisheriges Passwort').fill(adminPassword)
    await button('Passwort ändern').click()
    await page.getByText('Passwort geändert').first().waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Passwort' }).waitFor()
    const old = await fetch(`${platform.url}/api/user`, { headers: { authorization: `Bearer ${other}` } })
    expect(old.status).toBe(401)
    const credentials = { username, password: 'Something quite new 7' }
    const { token } = await platform.api<{ token: string }>('POST', '/auth/login', credentials)
    api = callerOf(platform, token)
    make = thingsFor(api, account.id)
  })
})

describe('an account with devices', () => {
  it('is not deleted, says what is there, and goes once that is gone and the number typed', async () => {
    const connector = await make.connector('Halle')
    const device = await make.device('Zähler', 'meter-1', { connectorId: connector.id })
    await open(`/account-mgmt/${account.id}`)
    const ask = async () => {
      await button('Mehr').click()
      await page.getByRole('menuitem', { name: 'Account löschen' }).click()
    }
    const confirm = dialog().getByRole('button', { name: 'Account löschen' })
    await ask()
    await dialog().getByText('Gerät: Zähler').waitFor()
    await dialog().getByText('Konnektor: Halle').waitFor()
    await dialog().getByText('Der Account hat 1 Gerät.').waitFor()
    expect(await confirm.isDisabled()).toBe(true)
    await expectAccessible(page, 'an account with devices')
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })

    await api.delete(`/virtualdevice/${device.id}`)
    await api.delete(`/bridge/configs/${connector.id}`)
    await ask()
    // The previous count is shown until the new one is loaded.
    await dialog().getByText('Der Account hat 0 Geräte.').waitFor()
    const count = dialog().getByRole('textbox')
    await count.fill('1')
    expect(await confirm.isDisabled()).toBe(true)
    await count.fill('0')
    await confirm.click()
    await page.getByText('„Wasserwerk“ wurde gelöscht.').first().waitFor()
  })
})

describe('with the keyboard alone', () => {
  it.each([
    '/account-mgmt',
    '/account-mgmt/1?tab=users',
    '/account-mgmt/1?tab=keys',
    '/account-mgmt/1?tab=sso',
    '/account-mgmt/1?tab=mail',
    '/account-mgmt/1?tab=applications',
    '/account-mgmt/user/1',
    '/account-mgmt/user/1/1',
    '/account-mgmt/user/1/1?tab=explain',
    '/account-mgmt/user-bulk-create/1',
    '/account-mgmt-roles',
    '/account-mgmt-roles?role=2',
    '/account-mgmt-modules',
    '/system-logs',
    '/user-profile',
  ])('everything on %s is reached, and one sees where one is', async (path) => {
    await openAnew(path)
    await expectAccessible(page, path)
    // Data loaded in the meantime may appear before the focused element: then go round again.
    await expect.poll(tabThrough, { timeout: 60_000 }).toEqual({ unreached: [], unmarked: [] })
  })
})

it('left only refusals that were meant in the console of the browser', () => {
  const meant = /status of (401|409|422)/
  expect(tab.problems.filter((problem) => !meant.test(problem))).toEqual([])
})

async function expectFocus(locator: ReturnType<typeof button>): Promise<void> {
  await expect.poll(() => locator.evaluate((element) => element === document.activeElement)).toBe(true)
}

/** A user with one role, signed in in a separate tab. */
async function somebody(username: string, role: number): Promise<Tab> {
  const { id } = await make.user(username, account, role)
  const { token } = await api.post<{ token: string }>('/auth/impersonate', { userId: id })
  return tabOf(token)
}

/**
 * Tabs through the whole page.
 * @returns operable elements that were not reached, and those that look the same with focus
 */
async function tabThrough(): Promise<{ unreached: string[]; unmarked: string[] }> {
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  const unmarked: string[] = []
  for (let step = 0; ; step++) {
    if (step > 500) throw new Error('the focus does not leave the page')
    await page.keyboard.press('Tab')
    const { isInside, plain } = await page.evaluate(() => {
      // The focus mark may be around the element, or on the element that replaces a hidden one.
      const above = (element: Element | null, levels: number): Element | null =>
        levels === 0 ? element : above(element?.parentElement ?? null, levels - 1)
      const look = (element: Element) =>
        [element, element.nextElementSibling, ...[1, 2, 3].map((levels) => above(element, levels))]
          .map((at) => {
            if (!at) return ''
            const { outline, boxShadow, borderColor, backgroundColor, transform } = getComputedStyle(at)
            return [outline, boxShadow, borderColor, backgroundColor, transform].join()
          })
          .join('|')
      for (const change of document.getAnimations()) if (change instanceof CSSTransition) change.finish()
      const store = globalThis as typeof globalThis & { focused?: { element: HTMLElement; look: string } }
      const before = store.focused
      const isPlain = before?.element.isConnected === true && look(before.element) === before.look
      const here = document.activeElement as HTMLElement | null
      if (here && here !== document.body) {
        here.dataset.reached = ''
        store.focused = { element: here, look: look(here) }
      } else delete store.focused
      return {
        isInside: store.focused !== undefined,
        plain: isPlain ? before.element.outerHTML.slice(0, 200) : null,
      }
    })
    if (plain !== null) unmarked.push(plain)
    if (!isInside) break
  }
  const unreached = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [tabindex]')]
      .filter(
        (element) =>
          element.dataset.reached === undefined &&
          element.tabIndex >= 0 &&
          // Within a radio group, the arrow keys reach the others.
          !element.matches(
            '[type=radio]:not(:checked), :disabled, [inert] *, [aria-hidden="true"] *, [data-focus-guard]',
          ) &&
          element.checkVisibility({ visibilityProperty: true }),
      )
      .map((element) => element.outerHTML.slice(0, 200)),
  )
  return { unreached, unmarked }
}
