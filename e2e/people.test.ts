import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  expectAccessible,
  keepPicture,
  openTab,
  type Platform,
  signIn,
  startBrowser,
  startMailServer,
  startNameServer,
  startPlatform,
  type Tab,
} from './kit.ts'

/** Accounts, users and roles: what an administrator does, and what those with fewer rights then see. */

let mails: Awaited<ReturnType<typeof startMailServer>>
let names: Awaited<ReturnType<typeof startNameServer>>
let platform: Platform
let browser: Browser
let tab: Tab
let page: Page
let token: string

beforeAll(async () => {
  mails = await startMailServer()
  names = await startNameServer()
  platform = await startPlatform({
    ...{ SMTP_URL: mails.url, DNS_SERVERS: names.address, ALLOWED_NETWORKS: '127.0.0.1' },
  })
  token = await platform.login()
  browser = await startBrowser()
  tab = await openTab(browser)
  page = tab.page
  await signIn(tab, platform)
})

afterAll(async () => {
  await browser?.close()
  await platform?.[Symbol.asyncDispose]()
  await mails?.[Symbol.asyncDispose]()
  await names?.[Symbol.asyncDispose]()
})

afterEach(({ task }) => keepPicture(page, task))

const open = async (path: string, on = page) => {
  await on.goto(`${platform.url}/#${path}`)
  await on.getByRole('heading', { level: 1 }).first().waitFor()
}
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const field = (name: string) => page.getByRole('textbox', { name, exact: true })
const dialog = () => page.getByRole('dialog')
const says = (text: string | RegExp) => page.getByText(text).first().waitFor()

describe('an account', () => {
  it('is created below another one, renamed and given a domain', async () => {
    await open('/account-mgmt')
    await button('Unter-Account anlegen').click()
    await dialog().getByRole('textbox').fill('Stadtwerke')
    await button('Account anlegen').click()
    await page.getByRole('heading', { name: 'Stadtwerke' }).waitFor()
    await expectAccessible(page, 'account')
    await field('Name').fill('Stadtwerke Nord')
    await page
      .getByRole('combobox', { name: 'Domains' })
      .or(field('Domains'))
      .first()
      .fill('nord.example.org')
    await page.keyboard.press('Enter')
    await page.keyboard.press('ControlOrMeta+S')
    await dialog().getByText('Das DNS kennt nord.example.org nicht.').waitFor()
    await expectAccessible(page, 'a domain nobody knows')
    await dialog().getByRole('button', { name: 'Trotzdem speichern' }).click()
    await says('Der Account ist gespeichert.')
    await page.getByRole('navigation', { name: 'Accounts' }).getByText('Stadtwerke Nord').waitFor()
  })

  it('is given limits', async () => {
    await says('Hier und darunter gibt es 0 Geräte.')
    await field('Geräte').fill('1')
    await field('Zeilen je CSV-Datei').fill('2')
    await button('Speichern').click()
    await button('Speichern').waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('heading', { name: 'Limits' }).waitFor()
    expect([
      await field('Geräte').inputValue(),
      await field('Zeilen je CSV-Datei').inputValue(),
      await field('Domains')
        .or(page.getByRole('combobox', { name: 'Domains' }))
        .first()
        .isVisible(),
    ]).toEqual(['1', '2', true])
  })

  it('has a mail server that is tried before it is saved', async () => {
    await page.getByRole('tab', { name: 'Mailserver' }).click()
    await says(/Ohne eigenen gehen Mails über den der Plattform/)
    await page.getByRole('switch', { name: 'Eigener Mailserver' }).check({ force: true })
    await field('Server').fill('127.0.0.1')
    await field('Port').fill(new URL(mails.url).port)
    await field('Absenderadresse').fill('iot@nord.example.org')
    await field('Empfänger').fill('chef@nord.example.org')
    await button('Testmail senden').click()
    // The server does not offer what was asked for.
    await says('Die Verschlüsselung kam nicht zustande')
    await expectAccessible(page, 'a test mail that was refused')
    await page.getByRole('combobox', { name: 'Verschlüsselung' }).or(field('Verschlüsselung')).first().click()
    await page.getByRole('option', { name: 'Keine' }).click()
    await button('Testmail senden').click()
    await says(/hat die Mail genommen und sagt/)
    const test = await mails.next()
    expect([test.from?.address, test.to?.[0]?.address]).toEqual([
      ...['iot@nord.example.org', 'chef@nord.example.org'],
    ])
    await expectAccessible(page, 'mail server')
    await button('Speichern').click()
    await says('Der Mailserver ist gespeichert.')
    await page.getByRole('tab', { name: 'Account', exact: true }).click()
  })

  it('gives new users its default roles', async () => {
    await page.getByRole('combobox', { name: 'Standardrollen' }).or(field('Standardrollen')).first().click()
    await page.getByRole('option', { name: 'Viewer' }).click()
    await page.keyboard.press('Escape')
    await says('Gespeichert')
  })

  it('activates an integration for ever, by typing its name', async () => {
    const section = page.locator('#account-integrations')
    await section.getByRole('button', { name: 'Für immer aktivieren …' }).click()
    const confirm = dialog().getByRole('button', { name: 'Für immer aktivieren' })
    await dialog()
      .getByText(/lässt sich nie wieder ausschalten/)
      .waitFor()
    await expectAccessible(page, 'an integration that cannot be undone')
    await dialog().getByRole('textbox').fill('Stadtwerke')
    expect(await confirm.isDisabled()).toBe(true)
    await dialog().getByRole('textbox').fill('Stadtwerke Nord')
    await confirm.click()
    await says('„Auswertungen: Zeitreihen für Grafana und BI“ ist aktiviert.')
    for (const again of [false, true]) {
      if (again) await page.reload()
      await section.getByText(/^Aktiv seit .* Das lässt sich nicht ausschalten\.$/).waitFor()
      await section.getByText(`${platform.url}/xapi/v1/influxdb`).waitFor()
      // Nothing in it can be pressed any more.
      expect(await section.locator('button, input, [role=switch]').count()).toBe(0)
    }
    await expectAccessible(page, 'an integration that is active')
    const asked = await platform.api<{ results: object[] }>(
      'GET',
      `/xapi/v1/influxdb/query?${new URLSearchParams({ q: 'SHOW DATABASES' })}`,
      undefined,
      token,
    )
    expect(asked.results).toMatchObject([{ series: [{ values: [['leitstand']] }] }])
  })
})

describe('a user', () => {
  it('is created and invited by mail', async () => {
    await page.getByRole('tab', { name: 'Benutzer' }).click()
    await says('Noch keine Benutzer')
    await button('Benutzer anlegen').click()
    await field('Vorname').fill('Vera')
    await field('Nachname').fill('Blick')
    await field('E-Mail').fill('vera')
    await button('Anlegen und einladen').click()
    await says('Geben Sie eine E-Mail-Adresse ein.')
    await field('E-Mail').fill('vera@example.org')
    await expectAccessible(page, 'new user')
    await button('Anlegen und einladen').click()
    await page.getByRole('heading', { name: 'Vera Blick' }).waitFor()
    const mail = await mails.next()
    expect(mail.to?.map(({ address }) => address)).toEqual(['vera@example.org'])
    // Through the server of the account.
    expect(mail.from?.address).toBe('iot@nord.example.org')
    expect(mail.text).toMatch(/#\/change-password\?token=[\w-]{43}/)
    await says('eingeladen')
    await expectAccessible(page, 'user')
  })

  it('gets another role, and the page says what follows from it', async () => {
    await button('Zugriff hinzufügen').click()
    await button('Speichern').click()
    await page.getByRole('tab', { name: 'Was darf er hier?' }).click()
    await says(/Rolle „Viewer“ in „Stadtwerke Nord“ gibt: Geräte/)
    await says('Keine Rolle sagt etwas dazu, also nein.')
    await expectAccessible(page, 'what a user may do')
  })
})

describe('a list of users', () => {
  it('is checked row by row; what is wrong is named, the others are created', async () => {
    await page.getByRole('link', { name: 'Zu den Benutzern des Accounts' }).click()
    await page.getByRole('link', { name: 'Importieren' }).click()
    await field('Zeilen').fill(
      'Vorname;Nachname;E-Mail\nOtto;Werk;otto@example.org\nOtto;Werk;OTTO@example.org\nVera;Zwei;vera@example.org\nAnna;;anna@example.org',
    )
    await says('Diese E-Mail steht schon weiter oben.')
    await says('Vorname, Nachname oder E-Mail fehlt.')
    await button('Prüfen').click()
    await says('Ein Benutzer mit diesem Namen oder dieser E-Mail existiert schon.')
    await expectAccessible(page, 'import')
    await button('1 Benutzer anlegen').click()
    await page.getByRole('heading', { name: '1 Benutzer angelegt' }).waitFor()
    await says('Vorname, Nachname oder E-Mail fehlt.')
    expect((await mails.next()).to?.map(({ address }) => address)).toEqual(['otto@example.org'])
    await page.getByRole('link', { name: 'Zu den Benutzern des Accounts' }).click()
    await page.getByRole('link', { name: 'Otto Werk' }).waitFor()
    await expectAccessible(page, 'users')
  })
})

describe('a role', () => {
  it('is duplicated and changed in its matrix', async () => {
    await open('/account-mgmt-roles')
    await page.getByRole('link', { name: 'Viewer', exact: true }).click()
    await page.getByRole('heading', { name: 'Viewer', exact: true }).waitFor()
    await expectAccessible(page, 'role')
    await button('Duplizieren').click()
    await field('Name').fill('Nur Geräte')
    await button('Dashboards, Lesen: gegeben').click()
    await button('Dashboards, Lesen: genommen').waitFor()
    await button('Rolle anlegen').click()
    await page.getByRole('heading', { name: 'Nur Geräte' }).waitFor()
    await button('Dashboards, Lesen: genommen').click()
    await page.keyboard.press('ControlOrMeta+S')
    await says('Die Rolle ist gespeichert und gilt sofort.')
    await page.reload()
    await button('Dashboards, Lesen: offen').waitFor()
  })

  it('of the platform cannot be changed', async () => {
    await page.getByRole('link', { name: 'System administrator' }).click()
    await says('Diese Rolle gehört zur Plattform und bleibt, wie sie ist.')
    expect(await field('Name').isDisabled()).toBe(true)
  })
})

interface Listed {
  items: { id: number; name: string; username: string; scopeId: number }[]
}

/** Somebody who has set a password, with one role; a tab that belongs to them. */
async function somebody(name: string, roleName: string): Promise<Tab> {
  const email = `${name}@example.org`
  const tenants = await platform.api<Listed>('GET', '/tenant/fetch/all', undefined, token)
  const roles = await platform.api<Listed>('GET', '/acl/role', undefined, token)
  const account = tenants.items.find((one) => one.name.startsWith('Stadtwerke'))
  const role = roles.items.find((one) => one.name === roleName)
  const access = [{ scopeId: account?.scopeId, roleId: role?.id, isMain: true }]
  const user = { username: name, email, firstName: name, lastName: 'Test', accountId: account?.id, access }
  await platform.api('POST', '/user', user, token)
  let link: string | undefined
  // Between them comes the mail that says that a password was changed.
  while (link === undefined) link = /token=([\w-]{43})/.exec((await mails.next()).text ?? '')?.[1]
  const password = 'a passphrase of their own'
  await platform.api('POST', '/user/passwordreset/update', { token: link, password })
  const session = await platform.api<{ token: string }>('POST', '/auth/login', { username: name, password })
  const theirs = await openTab(browser)
  await theirs.page.addInitScript((value) => localStorage.setItem('leitstand.token', value), session.token)
  return theirs
}

/** Something to look at: a connector, a device that has sent, a twin, a dashboard. */
async function things(): Promise<string[]> {
  const tenants = await platform.api<Listed>('GET', '/tenant/fetch/all', undefined, token)
  const accountId = tenants.items.find((one) => one.name.startsWith('Stadtwerke'))?.id
  const connector = await platform.api<{ id: number; endpoints: string[] }>(
    'POST',
    '/bridge/configs',
    { accountId, kind: 'webhook-in', name: 'Halle', settings: {} },
    token,
  )
  const made = { title: 'Pumpe', externalId: 'pump-1', connectorId: connector.id }
  const device = await platform.api<{ id: number }>('POST', '/virtualdevice', made, token)
  const twin = await platform.api<{ id: number }>('POST', '/digitaltwin', { title: 'Werk', accountId }, token)
  const board = { name: 'Lage', accountId }
  const dashboard = await platform.api<{ id: number }>('POST', '/dashboards', board, token)
  return [
    ...[
      '',
      '?tab=states',
      '?tab=packets',
      '?tab=rules',
      '?tab=data',
      '?tab=diagnosis',
      '?tab=dependencies',
    ].map((tabOf) => `/virtual-devices/${device.id}${tabOf}`),
    ...['', '?tab=states', '?tab=rules', '?tab=data', '?tab=map', '?tab=children'].map(
      (tabOf) => `/digitaltwin-mgmt/${twin.id}${tabOf}`,
    ),
    `/dashboards/${dashboard.id}`,
  ]
}

describe('with fewer rights', () => {
  let own: string[]
  beforeAll(async () => {
    own = await things()
  })
  const screens = [
    '/home',
    '/digitaltwin-mgmt',
    '/virtual-devices',
    '/virtual-devices/map',
    '/virtual-device-drivers',
    '/virtual-device-drivers/1',
    '/virtual-device-drivers/1?tab=parser',
    '/dashboards',
    '/alarm-logs',
    '/user-profile',
  ]

  it.each([
    ['viewer', 'Viewer'],
    ['operator', 'Operator'],
  ])('the screens show a %s nothing that is refused', async (name, role) => {
    const theirs = await somebody(name, role)
    const refused: string[] = []
    theirs.page.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${new URL(response.url()).pathname}`)
    })
    for (const path of [...screens, ...own]) {
      await open(path, theirs.page)
      await theirs.page.waitForLoadState('networkidle')
      expect({ path, refused, problems: theirs.problems }).toEqual({ path, refused: [], problems: [] })
    }
    for (const label of ['Gerät anlegen', 'Account', 'Rollen', 'Konnektoren'])
      expect(await theirs.page.getByRole('link', { name: label, exact: true }).count(), label).toBe(0)
    await theirs.page.goto(`${platform.url}/#/account-mgmt-roles`)
    await theirs.page.waitForURL(/#\/home/)
    await theirs.context.close()
  })
})

describe('what somebody prefers', () => {
  it('takes effect at once, and in every browser', async () => {
    const theirs = await somebody('dora', 'Viewer')
    const { page: own } = theirs
    await open('/user-profile', own)
    const menu = own.getByRole('navigation', { name: 'Hauptmenü' })
    await menu.waitFor()
    await own.getByRole('combobox', { name: 'Akzentfarbe' }).or(own.getByLabel('Akzentfarbe')).first().click()
    await own.getByRole('option', { name: 'Violett' }).click()
    await own.getByText('Dunkel', { exact: true }).click()
    await own.getByLabel('Zeilen je Seite in Listen').first().click()
    await own.getByRole('option', { name: '50' }).click()
    const stored = own.waitForResponse(
      (response) =>
        response.url().endsWith('/api/user/properties') &&
        (response.request().postData() ?? '').includes('"drawer":false'),
    )
    await own.getByRole('switch', { name: 'Menü immer zeigen' }).uncheck({ force: true })
    await menu.waitFor({ state: 'detached' })
    await stored
    await expectAccessible(own, 'an accent of their own in the dark')

    const session = await own.evaluate(() => localStorage.getItem('leitstand.token') ?? '')
    const elsewhere = await openTab(browser)
    await elsewhere.page.addInitScript((value) => localStorage.setItem('leitstand.token', value), session)
    const asked = elsewhere.page
      .waitForRequest((request) => /\/api\/virtualdevice\/?\?/.test(request.url()))
      .then((request) => request.url())
    await open('/virtual-devices', elsewhere.page)
    await elsewhere.page.getByRole('button', { name: 'Menü öffnen' }).waitFor()
    const seen = await elsewhere.page.evaluate(() => ({
      scheme: document.documentElement.getAttribute('data-mantine-color-scheme'),
      accent: getComputedStyle(document.documentElement).getPropertyValue('--accent').trim(),
    }))
    expect(seen.scheme).toBe('dark')
    // A light violet: its blue is the strongest, its green the weakest.
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
      Number.parseInt(seen.accent.slice(at, at + 2), 16),
    )
    expect(blue > red && red > green).toBe(true)
    expect(await asked).toContain('limit=50')
    for (const { context } of [theirs, elsewhere]) await context.close()
  })
})

describe('an account that has all the devices it may have', () => {
  it('gets no other one', async () => {
    const connectors = await platform.api<Listed>('GET', '/bridge/configs', undefined, token)
    const another = { title: 'Pumpe 2', externalId: 'pump-2', connectorId: connectors.items[0]?.id }
    await expect(platform.api('POST', '/virtualdevice', another, token)).rejects.toThrow(
      /409.*TENANT_DEVICE_LIMIT/,
    )
  })
})

describe('an account that is not empty', () => {
  it('is not deleted, and says what is still there', async () => {
    const tenants = await platform.api<Listed>('GET', '/tenant/fetch/all', undefined, token)
    const account = tenants.items.find(({ name }) => name === 'Stadtwerke Nord')
    await platform.api('POST', '/tenant', { name: 'Zweigstelle', parentId: account?.id }, token)
    await open(`/account-mgmt/${account?.id}`)
    // The list of accounts is kept for half an hour.
    await page.reload()
    await button('Mehr').click()
    await page.getByRole('menuitem', { name: 'Account löschen' }).click()
    await dialog().getByText('Account: Zweigstelle').waitFor()
    expect(await dialog().getByRole('button', { name: 'Account löschen' }).isDisabled()).toBe(true)
    await expectAccessible(page, 'deletion that is blocked')
    await page.keyboard.press('Escape')
  })

  it('goes after its number of devices was typed, once it is empty', async () => {
    await page.getByRole('navigation', { name: 'Accounts' }).getByText('Zweigstelle').click()
    await page.getByRole('heading', { name: 'Zweigstelle' }).waitFor()
    await button('Mehr').click()
    await page.getByRole('menuitem', { name: 'Account löschen' }).click()
    await dialog().getByRole('textbox').fill('0')
    await dialog().getByRole('button', { name: 'Account löschen' }).click()
    await says('„Zweigstelle“ ist gelöscht.')
    await page.getByRole('heading', { name: 'Stadtwerke Nord' }).waitFor()
  })
})

describe('on a phone in the dark, in English', () => {
  it.each([
    '/account-mgmt',
    '/account-mgmt/1?tab=users',
    '/account-mgmt/user/1',
    '/account-mgmt/user/1/1?tab=explain',
    '/account-mgmt/user-bulk-create/1',
    '/account-mgmt-roles',
  ])('%s fits and can be read', async (path) => {
    const phone = await openTab(browser, { width: 375, height: 760, locale: 'en-GB', dark: true })
    await phone.page.addInitScript((value) => localStorage.setItem('leitstand.token', value), token)
    await open(path, phone.page)
    await phone.page.waitForLoadState('networkidle')
    await expectAccessible(phone.page, `${path} on a phone`)
    const overflow = await phone.page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBe(0)
    expect(phone.problems).toEqual([])
    await phone.context.close()
  })
})

it('left only refusals that were meant in the console of the browser', () => {
  const meant = /status of (409|422)/
  expect(tab.problems.filter((problem) => !meant.test(problem))).toEqual([])
})
