import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import {
  expectAccessible,
  freePort,
  openTab,
  type Platform,
  phone,
  signIn,
  startJourney,
  type Tab,
} from './kit.ts'

/** An application is registered, gets a user's consent, uses its access, and loses it again. */

const journey = await startJourney({ isGuest: true })
const { browser, tab: admin } = journey
// By host name, so that the application is on another site, as in real use.
const platform = { ...journey.platform, url: journey.platform.url.replace('127.0.0.1', 'localhost') }
const person = await openTab(browser)
const shop = await openShop(platform)
afterAll(() => shop[Symbol.asyncDispose]())
let { page } = admin
const root = await journey.api.get<{ scopeId: number }>(`/tenant/${journey.accountId}`)
for (const [name, role] of [
  ['ada', 'Account administrator'],
  ['bo', 'Viewer'],
] as const)
  await journey.make.user(name, { id: journey.accountId, ...root }, role)
await platform.fill(
  `update users set password_hash = (select password_hash from users where username = 'admin@localhost') where username in ('ada', 'bo')`,
)

/** A minimal application, with a sign-in page and one that shows its tokens. */
interface Shop extends AsyncDisposable {
  url: string
  credentials: { clientId: string; secret: string }
  /** requested scopes */
  scope: string
  token: string
  /** the platform's response to its token */
  devices(): Promise<{ status: number; body: { total?: number; code?: string } }>
}

async function openShop(at: Pick<Platform, 'url'>): Promise<Shop> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const issuer = `${at.url}/oauth2`
  const begun = new Map<string, string>()
  const made: Omit<Shop, typeof Symbol.asyncDispose> = {
    url,
    credentials: { clientId: '', secret: '' },
    scope: 'openid profile devices.read',
    token: '',
    async devices() {
      const reply = await fetch(`${at.url}/api/virtualdevice`, {
        headers: { authorization: `Bearer ${made.token}` },
      })
      return { status: reply.status, body: (await reply.json()) as { total?: number; code?: string } }
    },
  }
  const toSignIn = () => {
    const [state, verifier] = [randomBytes(16).toString('hex'), randomBytes(32).toString('base64url')]
    begun.set(state, verifier)
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: made.credentials.clientId,
      redirect_uri: `${url}/back`,
      scope: made.scope,
      state,
      code_challenge_method: 'S256',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    })
    return `${issuer}/authorize?${query}`
  }
  const calledBack = async (query: URLSearchParams): Promise<string> => {
    const [code, state, error] = ['code', 'state', 'error'].map((name) => query.get(name) ?? '')
    if (error) return `Nicht angemeldet: ${error}`
    const { clientId, secret } = made.credentials
    const reply = await fetch(`${issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: code ?? '',
        redirect_uri: `${url}/back`,
        code_verifier: begun.get(state ?? '') ?? '',
      }),
    })
    const tokens = (await reply.json()) as { access_token: string; error?: string }
    if (tokens.error) return `Keine Tokens: ${tokens.error}`
    made.token = tokens.access_token
    const about = await fetch(`${issuer}/userinfo`, { headers: { authorization: `Bearer ${made.token}` } })
    const { preferred_username: name } = (await about.json()) as { preferred_username: string }
    return `Willkommen, ${name}! Geräte: ${(await made.devices()).body.total}`
  }
  const answer = async (request: IncomingMessage) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url)
    if (pathname === '/sign-in') return { status: 303, headers: { location: toSignIn() }, text: '' }
    const text = pathname === '/back' ? await calledBack(searchParams) : 'Zählerportal'
    return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, text: `<h1>${text}</h1>` }
  }
  const server: Server = createServer((request, response) => {
    answer(request).then(
      ({ status, headers, text }) => response.writeHead(status, headers).end(text),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  return Object.assign(made, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name })

describe('an administrator registers an application', () => {
  it('with what it may ask for, and gets its secret this once', async () => {
    page = admin.page
    await signIn(admin, platform)
    await page.goto(`${platform.url}/#/account-mgmt?tab=applications`)
    await page.getByText('Noch keine Anwendungen').waitFor()
    await page.getByRole('button', { name: 'Anwendung anlegen' }).click()
    const dialog = page.getByRole('dialog', { name: 'Anwendung anlegen' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Zählerportal')
    await dialog.getByRole('textbox', { name: 'Beschreibung' }).fill('Zeigt Kunden ihren Verbrauch.')
    await dialog.getByRole('textbox', { name: 'Redirect-URIs' }).fill('http://portal.example.org/back')
    await dialog.getByRole('button', { name: 'Anwendung anlegen' }).click()
    await dialog.getByText('Erlaubt sind https-Adressen ohne #').waitFor()
    await dialog.getByRole('textbox', { name: 'Redirect-URIs' }).fill(`${shop.url}/back`)
    await dialog.getByRole('checkbox', { name: 'Geräte und Alarme lesen' }).check()
    await dialog
      .getByRole('checkbox', { name: 'digitale Zwillinge und Datenpunkte lesen', exact: true })
      .check()
    await expectAccessible(page, 'register an application')
    await dialog.getByRole('button', { name: 'Anwendung anlegen' }).click()

    const made = page.getByRole('dialog', { name: 'Zählerportal' })
    await made.getByText('Es wird nicht noch einmal angezeigt').waitFor()
    const values = await made.locator('code, pre').allTextContents()
    const find = (start: string) => values.find((value) => value.startsWith(start)) ?? ''
    expect(values).toContain(`${platform.url}/oauth2`)
    shop.credentials = { clientId: find('app_'), secret: find('lsa_') }
    expect(shop.credentials.secret).toMatch(/^lsa_[\w-]{43}$/)
    await expectAccessible(page, 'secret of an application')
    await made.getByRole('button', { name: 'Ich habe es kopiert' }).click()
    await page.getByRole('cell', { name: 'Zählerportal' }).waitFor()
  })
})

describe('somebody signs in to the application', () => {
  it('signs in to the platform first, is asked, and allows it by keyboard', async () => {
    page = person.page
    await page.goto(`${shop.url}/sign-in`)
    await page.waitForURL(/#\/login\?redirect=/)
    await signInHere()
    await heading('„Zählerportal“ möchte auf Leitstand zugreifen').waitFor()
    await page.getByText('Zeigt Kunden ihren Verbrauch.').waitFor()
    await page.getByText('Geräte und Alarme lesen').waitFor()
    expect(await page.getByText('digitale Zwillinge').count()).toBe(0)
    await expectAccessible(page, 'consent')
    await page.getByRole('button', { name: 'Erlauben' }).focus()
    await page.keyboard.press('Enter')
    await heading('Willkommen, admin@localhost! Geräte: 0').waitFor()
  })

  it('is not asked again', async () => {
    await page.goto(`${shop.url}/sign-in`)
    await heading('Willkommen, admin@localhost! Geräte: 0').waitFor()
  })

  it('is asked again when it wants more, and may refuse that', async () => {
    shop.scope = 'openid profile devices.read twins.read'
    await page.goto(`${shop.url}/sign-in`)
    await page.getByText('digitale Zwillinge und Datenpunkte lesen').waitFor()
    await page.getByRole('button', { name: 'Ablehnen' }).click()
    await heading('Nicht angemeldet: access_denied').waitFor()
    expect((await shop.devices()).status).toBe(200)
  })

  it('can be somebody else', async () => {
    await page.goto(`${shop.url}/sign-in`)
    await page.getByRole('button', { name: 'Jemand anderes' }).click()
    await page.waitForURL(/#\/login\?redirect=/)
    await signInHere()
    await heading('„Zählerportal“ möchte auf Leitstand zugreifen').waitFor()
    await page.getByRole('button', { name: 'Ablehnen' }).click()
    await heading('Nicht angemeldet: access_denied').waitFor()
  })

  it('sees what is wrong when the application is not known, on a phone, in the dark, in English', async () => {
    const theirs = await openTab(browser, phone)
    page = theirs.page
    await page.goto(`${platform.url}/oauth2/authorize?client_id=app_nobody&response_type=code`)
    await heading('This sign-in cannot continue').waitFor()
    await page.getByText('This application is unknown here').waitFor()
    await expectAccessible(page, 'refused request')
    await page.goto(`${platform.url}/#/oauth?request=a-request-nobody-began`)
    await page.waitForURL(/#\/login\?redirect=/)
    await page.getByLabel('User name').fill('admin@localhost')
    await page.getByRole('textbox', { name: /^Password/ }).fill('a long enough passphrase')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('was started in another browser').waitFor()
    expect(theirs.problems.filter((problem) => !problem.includes('404'))).toEqual([])
    await theirs.context.close()
  })
})

describe('a service builder', () => {
  const address = () => `${platform.url}/#/leitstand-classic/service-builders`

  it('is added by an administrator of the installation, with the application it signs users in with', async () => {
    page = admin.page
    await page.goto(address())
    await heading(/^IoT-Service-Builder/).waitFor()
    await page.getByRole('button', { name: 'Service-Builder anlegen' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Titel' }).fill('Werkstatt')
    await dialog.getByRole('textbox', { name: 'Adresse' }).fill('javascript:alert(1)')
    await dialog.getByRole('combobox', { name: 'Anmeldung über' }).click()
    await page.getByRole('option', { name: 'Zählerportal' }).click()
    await dialog.getByRole('button', { name: 'Speichern' }).click()
    await dialog
      .getByText(/https:\/\//)
      .first()
      .waitFor()
    await dialog.getByRole('textbox', { name: 'Adresse' }).fill(`${shop.url}/sign-in`)
    await dialog.getByRole('button', { name: 'Speichern' }).click()
    await page.getByRole('row').filter({ hasText: 'Werkstatt' }).getByText('Zählerportal').waitFor()
    await expectAccessible(page, 'service builders')
  })

  it('is opened by an administrator of the account, who is signed in by OAuth 2 and may not change it', async () => {
    const theirs = await tabOf('ada')
    const tokenOfAdmin = shop.token
    page = theirs.page
    await page.goto(address())
    const line = page.getByRole('row').filter({ hasText: 'Werkstatt' })
    await line.waitFor()
    expect(await page.getByRole('button', { name: 'Service-Builder anlegen' }).count()).toBe(0)
    expect(await line.getByRole('button').count()).toBe(0)
    const [opened] = await Promise.all([
      page.waitForEvent('popup'),
      line.getByRole('link', { name: /Werkstatt/ }).click(),
    ])
    page = opened
    await heading('„Zählerportal“ möchte auf Leitstand zugreifen').waitFor()
    // It is a page of its own: the builder cannot reach the console that opened it.
    expect(await page.evaluate(() => opener)).toBeNull()
    await page.getByRole('button', { name: 'Erlauben' }).click()
    await heading('Willkommen, ada! Geräte: 0').waitFor()
    shop.token = tokenOfAdmin
    expect(theirs.problems).toEqual([])
    await theirs.context.close()
  })

  it('is closed to those who do not administer the account', async () => {
    const theirs = await tabOf('bo')
    page = theirs.page
    await page.goto(address())
    await page.waitForURL(/#\/home/)
    expect(await page.getByRole('link', { name: 'IoT-Service-Builder' }).count()).toBe(0)
    await theirs.context.close()
  })
})

describe('access ends', () => {
  it('in the profile, and the application is refused at once', async () => {
    page = person.page
    await page.goto(`${platform.url}/#/user-profile`)
    await page.getByRole('heading', { name: 'Anwendungen mit Zugriff' }).waitFor()
    const entry = page.getByRole('listitem').filter({ hasText: 'Zählerportal' })
    await entry.getByText('Geräte und Alarme lesen').waitFor()
    await expectAccessible(page, 'profile with an application')
    await entry.getByRole('button', { name: 'Zugriff beenden: Zählerportal' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Zugriff beenden' }).click()
    await page.getByText('Keine Anwendung hat Zugriff.').waitFor()
    expect(await shop.devices()).toMatchObject({ status: 401, body: { code: 'AUTH_TOKEN_NOT_FOUND' } })
    expect(person.problems).toEqual([])
  })

  it('for everybody when the application is deleted', async () => {
    page = admin.page
    await page.goto(`${platform.url}/#/account-mgmt?tab=applications`)
    const line = page.getByRole('row').filter({ hasText: 'Zählerportal' })
    await line.getByRole('button').last().click()
    await page.getByRole('menuitem', { name: 'Anwendung löschen' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Anwendung löschen' }).click()
    await page.getByText('Noch keine Anwendungen').waitFor()
    page = person.page
    await page.goto(`${shop.url}/sign-in`)
    await page.getByText('Diese Anwendung ist hier nicht bekannt').waitFor()
    expect(admin.problems).toEqual([])
  })
})

/** A tab of somebody who signed in elsewhere. */
async function tabOf(username: string): Promise<Tab> {
  return openTab(browser, { session: { url: platform.url, token: await platform.login(username) } })
}

async function signInHere(): Promise<void> {
  await page.getByLabel('Benutzername').fill('admin@localhost')
  await page.getByRole('textbox', { name: /^Passwort/ }).fill('a long enough passphrase')
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
}
