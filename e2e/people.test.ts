import { beforeAll, describe, expect, it } from 'vitest'
import { startDns } from '../packages/server/test/dns.ts'
import {
  expectAccessible,
  expectFits,
  handsOn,
  phone,
  startJourney,
  startMailServer,
  type Tab,
} from './kit.ts'

/** Accounts, users and roles: the administrator's tasks, and what users with fewer rights see. */

const mails = await startMailServer()
// It knows no names.
const names = await startDns([])
const journey = await startJourney({
  env: { SMTP_URL: mails.url, DNS_SERVERS: names.address, ALLOWED_NETWORKS: '127.0.0.1' },
  uses: [mails, names],
})
const {
  tab,
  page,
  platform,
  token,
  api,
  make,
  open,
  openAnew,
  button,
  field,
  choice,
  choose,
  dialog,
  says,
  tabOf,
} = journey

describe('an account', () => {
  it('is created below another one, and renamed', async () => {
    await open('/account-mgmt')
    await button('Unter-Account anlegen').click()
    await dialog().getByRole('textbox', { name: 'Name' }).fill('Stadtwerke')
    await dialog().getByRole('textbox', { name: 'Beschreibung' }).fill('Alles nördlich der Alster')
    await button('Account anlegen').click()
    await page.getByRole('heading', { name: 'Stadtwerke' }).waitFor()
    await expectAccessible(page, 'account')
    await field('Name').fill('Stadtwerke Nord')
    await page.keyboard.press('ControlOrMeta+S')
    await says('Account gespeichert.')
    await page.getByRole('navigation', { name: 'Accounts' }).getByText('Stadtwerke Nord').waitFor()
  })

  it('is given a domain, which counts once it is proven', async () => {
    await page.getByRole('tab', { name: 'Domains' }).click()
    await says('Noch keine Domains')
    await field('Neue Domain').fill('localhost')
    await button('Domain hinzufügen').click()
    await says(/gehört zur Installation/)
    await field('Neue Domain').fill('Nord.example.org')
    await button('Domain hinzufügen').click()
    await dialog().getByText('Das DNS kennt Nord.example.org nicht.').waitFor()
    await expectAccessible(page, 'a domain nobody knows')
    await dialog().getByRole('button', { name: 'Trotzdem hinzufügen' }).click()
    await says('Nachweis fehlt')
    await button('Jetzt prüfen').click()
    await says(/Diesen Eintrag gibt es im DNS nicht/)
    await expectAccessible(page, 'a domain without proof')
    const value = await page
      .getByText(/^domain-challenge=/)
      .first()
      .textContent()
    names.texts.set('_domain-challenge.nord.example.org', [String(value)])
    await button('Jetzt prüfen').click()
    await says('nord.example.org ist nachgewiesen.')
    await expectAccessible(page, 'a proven domain')
    await page.getByRole('tab', { name: 'Account', exact: true }).click()
  })

  it('is given limits', async () => {
    await says('0 Geräte einschließlich der Unter-Accounts.')
    await field('Geräte').fill('1')
    await field('Zeilen je CSV-Datei').fill('2')
    await field('Empfänger von Regel-E-Mails pro Stunde').fill('40')
    await field('Beschreibung').fill('Alles nördlich der Elbe')
    const calls: string[] = []
    const note = (request: { method: () => string; url: () => string }) =>
      request.method() === 'PUT' ? calls.push(new URL(request.url()).pathname) : undefined
    page.on('request', note)
    await button('Speichern').click()
    await button('Speichern').waitFor({ state: 'detached' })
    page.off('request', note)
    expect(calls).toEqual([expect.stringMatching(/^\/api\/tenant\/\d+$/)])
    await page.reload()
    await page.getByRole('heading', { name: 'Limits' }).waitFor()
    expect([await field('Geräte').inputValue(), await field('Zeilen je CSV-Datei').inputValue()]).toEqual([
      '1',
      '2',
    ])
    expect(await field('Empfänger von Regel-E-Mails pro Stunde').inputValue()).toBe('40')
    await says('In der letzten Stunde gingen E-Mails an 0 Empfänger.')
  })

  it('says which limits it has reached', async () => {
    await page.getByRole('link', { name: 'Erreichte Limits' }).click()
    await says('Kein Limit erreicht')
    await expectAccessible(page, 'no limit reached')
  })

  it('has a mail server that is tried before it is saved', async () => {
    await page.getByRole('tab', { name: 'Mailserver' }).click()
    await says(/Ohne eigenen Mailserver nutzt der Account den der Plattform/)
    await page.getByRole('switch', { name: 'Eigener Mailserver' }).check({ force: true })
    await field('Server').fill('127.0.0.1')
    await field('Port').fill(new URL(mails.url).port)
    await field('Absenderadresse').fill('iot@nord.example.org')
    await field('Empfänger').fill('chef@nord.example.org')
    await button('Test-E-Mail senden').click()
    // The server does not offer the requested encryption.
    await says('Die Verschlüsselung ist fehlgeschlagen')
    await expectAccessible(page, 'a test mail that was refused')
    await choice('Verschlüsselung').click()
    await page.getByRole('option', { name: 'Keine' }).click()
    await button('Test-E-Mail senden').click()
    await says(/hat die E-Mail angenommen und antwortet/)
    const test = await mails.next()
    expect([test.from?.address, test.to?.[0]?.address]).toEqual([
      ...['iot@nord.example.org', 'chef@nord.example.org'],
    ])
    await expectAccessible(page, 'mail server')
    await button('Speichern').click()
    await says('Mailserver gespeichert.')
    await page.getByRole('tab', { name: 'Account', exact: true }).click()
  })

  it('gives new users its default roles', async () => {
    await choice('Standardrollen').click()
    await page.getByRole('option', { name: 'Betrachter', exact: true }).click()
    await page.keyboard.press('Escape')
    await says('Gespeichert')
  })

  it('activates an integration for ever, by typing its name', async () => {
    const section = page.locator('#account-integrations')
    const activate = section.getByRole('button', { name: 'Dauerhaft aktivieren …' })
    await activate.first().click()
    const confirm = dialog().getByRole('button', { name: 'Dauerhaft aktivieren' })
    await dialog()
      .getByText(/lässt sich nicht rückgängig machen/)
      .waitFor()
    await expectAccessible(page, 'an integration that cannot be undone')
    await dialog().getByRole('textbox').fill('Stadtwerke')
    expect(await confirm.isDisabled()).toBe(true)
    await dialog().getByRole('textbox').fill('Stadtwerke Nord')
    await confirm.click()
    await says('„Auswertungen: Zeitreihen für Grafana und BI“ wurde aktiviert.')
    for (const again of [false, true]) {
      if (again) await page.reload()
      await section.getByText(/^Aktiv seit .* Das lässt sich nicht deaktivieren\.$/).waitFor()
      await section.getByText(`${platform.url}/xapi/v1/influxdb`).waitFor()
      // Nothing in it is operable any more; the other integration can still be activated.
      expect(await section.locator('button, input, [role=switch]').count()).toBe(1)
      expect(await activate.count()).toBe(1)
    }
    await expectAccessible(page, 'an integration that is active')
    const asked = await api.get<{ results: object[] }>(
      `/xapi/v1/influxdb/query?${new URLSearchParams({ q: 'SHOW DATABASES' })}`,
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
    await says('Geben Sie eine gültige E-Mail-Adresse ein.')
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
    await page.getByRole('tab', { name: 'Rechte' }).click()
    await says(/Rolle „Betrachter“ in „Stadtwerke Nord“ gewährt: Geräte/)
    await says('Von keiner Rolle gewährt.')
    await expectAccessible(page, 'what a user may do')
  })

  it('may not do what no role allows, and the answer names who could give it', async () => {
    await choose('Aktion', 'Verwalten')
    await choose('Gegenstand', 'Alles im Bereich')
    await says('Nein, das ist nicht erlaubt')
    await says(/Diese Rollen würden es erlauben: .*Account-Administrator/)
    await says(/Vergeben können sie: admin@localhost/)
    await choose('Aktion', 'Lesen')
    await choose('Gegenstand', 'Geräte')
    await says('Ja, das ist erlaubt')
    await expectAccessible(page, 'the answer to a question')
  })

  it('is looked at with their eyes, and nothing can be changed meanwhile', async () => {
    const user = page.url()
    await button('Mehr').click()
    await page.getByRole('menuitem', { name: 'Konsole ansehen wie dieser Benutzer' }).click()
    const banner = page.getByRole('region', { name: 'Ansicht eines anderen Benutzers' })
    await banner.getByText(/Nur ansehen: Sie sehen die Konsole wie Vera Blick/).waitFor()
    await expectAccessible(page, 'the console as a user sees it')
    const theirs = await page.evaluate(() => localStorage.getItem('leitstand.token') ?? '')
    const answer = await fetch(`${platform.url}/api/user/properties`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${theirs}`, 'content-type': 'application/json' },
      body: JSON.stringify({ properties: {} }),
    })
    expect(await answer.json()).toMatchObject({ code: 'AUTH_LOOKING' })
    await banner.getByRole('button', { name: 'Ansicht beenden' }).click()
    await banner.waitFor({ state: 'detached' })
    // Leaving loads the console again; what is opened before that would be lost.
    await openAnew(new URL(user).hash.slice(1))
  })

  it('shows its sessions, which end at once', async () => {
    await page.getByRole('tab', { name: 'Sitzungen' }).click()
    await says('Dieser Benutzer ist nirgendwo angemeldet.')
    await expectAccessible(page, 'sessions of a user')
  })

  it('is shown what moving it to another account would change', async () => {
    await button('Mehr').click()
    await page.getByRole('menuitem', { name: 'In anderen Account verschieben' }).click()
    const { items } = await api.get<{ items: { name: string; parentId: number | null }[] }>(
      '/tenant/fetch/all',
    )
    const top = items.find(({ parentId }) => parentId === null)?.name ?? ''
    await handsOn(dialog()).choose('Neuer Account', top)
    await dialog()
      .getByText(/^Entzogen: Betrachter \(Stadtwerke Nord\)/)
      .waitFor()
    await expectAccessible(page, 'moving a user')
    await page.keyboard.press('Escape')
    await button('Verwerfen und verlassen').click()
  })

  it('stands in the log with the roles it got, in words', async () => {
    const user = page.url()
    await open('/system-logs?subject=User&action=create')
    const entry = page.getByRole('row').filter({ hasText: 'vera@example.org' })
    await entry.getByRole('button', { name: 'angelegt' }).click()
    await says('Betrachter: Stadtwerke Nord (Hauptbereich)')
    await page.keyboard.press('Escape')
    await page.goto(user)
  })
})

describe('a list of users', () => {
  it('is checked row by row; what is wrong is named, the others are created', async () => {
    await page.getByRole('link', { name: 'Zu den Benutzern des Accounts' }).click()
    await page.getByRole('link', { name: 'Importieren' }).click()
    await field('Zeilen').fill(
      'Vorname;Nachname;E-Mail;;;;;Rollen\nOtto;Werk;otto@example.org;;;;;Viewer | Bediener @ Stadtwerke Nord\nEva;Werk;eva@example.org;;;;;Kaiserin\nOtto;Werk;OTTO@example.org\nVera;Zwei;vera@example.org\nAnna;;anna@example.org',
    )
    await says('Diese E-Mail-Adresse steht schon weiter oben.')
    await says('Vorname, Nachname oder E-Mail fehlt.')
    await says('Keine Rolle heißt „Kaiserin“.')
    await button('Prüfen').click()
    await says('Ein Benutzer mit diesem Namen oder dieser E-Mail existiert schon.')
    await expectAccessible(page, 'import')
    await button('1 Benutzer anlegen').click()
    await page.getByRole('heading', { name: '1 Benutzer angelegt' }).waitFor()
    await says('Vorname, Nachname oder E-Mail fehlt.')
    expect((await mails.next()).to?.map(({ address }) => address)).toEqual(['otto@example.org'])
    await page.getByRole('link', { name: 'Zu den Benutzern des Accounts' }).click()
    await page.getByRole('main').getByRole('link', { name: 'Otto Werk' }).waitFor()
    await expectAccessible(page, 'users')
  })
})

describe('a role', () => {
  it('is duplicated and changed in its matrix', async () => {
    await open('/account-mgmt-roles')
    await page.getByRole('link', { name: 'Betrachter', exact: true }).click()
    await page.getByRole('heading', { name: 'Betrachter', exact: true }).waitFor()
    await expectAccessible(page, 'role')
    await button('Duplizieren').click()
    await field('Name').fill('Nur Geräte')
    await button('Dashboards, Lesen: gewährt').click()
    await button('Dashboards, Lesen: entzogen').waitFor()
    await button('Rolle anlegen').click()
    await page.getByRole('heading', { name: 'Nur Geräte' }).waitFor()
    await button('Dashboards, Lesen: entzogen').click()
    await page.keyboard.press('ControlOrMeta+S')
    await says('Rolle gespeichert. Sie gilt sofort.')
    await page.reload()
    await button('Dashboards, Lesen: offen').waitFor()
  })

  it('of the platform cannot be changed', async () => {
    await page.getByRole('link', { name: 'Systemadministrator' }).click()
    await says('Diese Rolle gehört zur Plattform und lässt sich nicht ändern.')
    expect(await field('Name').isDisabled()).toBe(true)
  })
})

interface Listed {
  items: { id: number; name: string; username: string; scopeId: number }[]
}

/** A user with a password and one role, with their own tab. */
async function somebody(name: string, roleName: string): Promise<Tab> {
  const email = `${name}@example.org`
  const tenants = await api.get<Listed>('/tenant/fetch/all')
  const roles = await api.get<Listed>('/acl/role')
  const account = tenants.items.find((one) => one.name.startsWith('Stadtwerke'))
  const role = roles.items.find((one) => one.name === roleName)
  const access = [{ scopeId: account?.scopeId, roleId: role?.id, isMain: true }]
  const user = { username: name, email, firstName: name, lastName: 'Test', accountId: account?.id, access }
  await api.post('/user', user)
  let link: string | undefined
  // The mail about the changed password arrives in between.
  while (link === undefined) link = /token=([\w-]{43})/.exec((await mails.next()).text ?? '')?.[1]
  const password = 'a passphrase of their own'
  await platform.api('POST', '/user/passwordreset/update', { token: link, password })
  const session = await platform.api<{ token: string }>('POST', '/auth/login', { username: name, password })
  return tabOf(session.token)
}

/** Fixtures: a connector, a device that has sent, a twin, a dashboard. */
async function things(): Promise<string[]> {
  const tenants = await api.get<Listed>('/tenant/fetch/all')
  const accountId = tenants.items.find((one) => one.name.startsWith('Stadtwerke'))?.id
  const connector = await make.connector('Halle', {}, { accountId })
  const device = await make.device('Pumpe', 'pump-1', { connectorId: connector.id })
  const twin = await api.post<{ id: number }>('/digitaltwin', { title: 'Werk', accountId })
  const board = { name: 'Lage', accountId }
  const dashboard = await api.post<{ id: number }>('/dashboards', board)
  return [
    ...[
      '',
      '?tab=states',
      '?tab=packets',
      '?tab=rules',
      '?tab=data',
      '?tab=diagnosis',
      '?tab=dependencies',
    ].map((shown) => `/virtual-devices/${device.id}${shown}`),
    ...['', '?tab=states', '?tab=rules', '?tab=data', '?tab=map', '?tab=children'].map(
      (shown) => `/digitaltwin-mgmt/${twin.id}${shown}`,
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
    const elsewhere = await tabOf(session)
    const asked = elsewhere.page
      .waitForRequest((request) => /\/api\/virtualdevice\/?\?.*limit=50/.test(request.url()))
      .then((request) => request.url())
    await open('/virtual-devices', elsewhere.page)
    await elsewhere.page.getByRole('button', { name: 'Menü öffnen' }).waitFor()
    const seen = await elsewhere.page.evaluate(() => ({
      scheme: document.documentElement.getAttribute('data-mantine-color-scheme'),
      accent: getComputedStyle(document.documentElement).getPropertyValue('--accent').trim(),
    }))
    expect(seen.scheme).toBe('dark')
    // A light violet: blue is the highest channel, green the lowest.
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
    const connectors = await api.get<Listed>('/bridge/configs')
    const another = { title: 'Pumpe 2', externalId: 'pump-2', connectorId: connectors.items[0]?.id }
    await expect(api.post('/virtualdevice', another)).rejects.toThrow(/409.*TENANT_DEVICE_LIMIT/)
  })
})

describe('an account that is not empty', () => {
  it('became that by taking in another one, which cannot go below itself', async () => {
    const { id } = await make.account('Zweigstelle')
    await open(`/account-mgmt/${id}`)
    // The list of accounts is cached for half an hour.
    await page.reload()
    await button('Mehr').click()
    await page.getByRole('menuitem', { name: 'Verschieben' }).click()
    await choice('Neuer übergeordneter Account').click()
    expect(await page.getByRole('option', { name: 'Zweigstelle' }).count()).toBe(0)
    await page.getByRole('option', { name: 'Stadtwerke Nord' }).click()
    await expectAccessible(page, 'moving an account')
    await dialog().getByRole('button', { name: 'Verschieben' }).click()
    await says('„Zweigstelle“ wurde verschoben.')
  })

  it('is not deleted, and says what is still there', async () => {
    const tenants = await api.get<Listed>('/tenant/fetch/all')
    const account = tenants.items.find(({ name }) => name === 'Stadtwerke Nord')
    await open(`/account-mgmt/${account?.id}`)
    await page.getByRole('heading', { name: 'Stadtwerke Nord' }).waitFor()
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
    await says('„Zweigstelle“ wurde gelöscht.')
    await page.getByRole('heading', { name: 'Stadtwerke Nord' }).waitFor()
  })
})

describe('on a phone in the dark, in English', async () => {
  const theirs = await tabOf(token, phone)
  it.each([
    '/account-mgmt',
    '/account-mgmt/1?tab=users',
    '/account-mgmt/1?tab=domains',
    '/account-mgmt/1?tab=limits',
    '/account-mgmt/user/1',
    '/account-mgmt/user/1/1?tab=explain',
    '/account-mgmt/1?tab=insight&of=user&who=1',
    '/account-mgmt/user-bulk-create/1',
    '/account-mgmt-roles',
  ])('%s fits and can be read', async (path) => {
    await openAnew(path, theirs.page)
    await expectFits(theirs.page, `${path} on a phone`)
    expect(theirs.problems).toEqual([])
  })
})

it('left only refusals that were meant in the console of the browser', () => {
  const meant = /status of (409|422)/
  expect(tab.problems.filter((problem) => !meant.test(problem))).toEqual([])
})
