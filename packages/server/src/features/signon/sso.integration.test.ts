import type { SsoReport } from '@leitstand/contract'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { insertProvenDomain } from '../../../test/domains.ts'
import { type ForeignProvider, startForeignProvider } from '../../../test/foreignProvider.ts'
import { type IdentityProvider, type Person, startIdentityProvider } from '../../../test/identityProvider.ts'
import {
  createAccount,
  createApi,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { Browser } from '../../../test/oauth.ts'
import { dot } from '../../../test/pictures.ts'

const publicUrl = 'http://leitstand.test'
const clock = new FakeClock(new Date())
let app: TestApp
let provider: IdentityProvider
let viewer: number
let operator: number

beforeAll(async () => {
  provider = await startIdentityProvider()
  app = await startApp({ clock, config: { publicUrl, allowedNetworks: ['127.0.0.0/8'] } })
  viewer = await roleNamed(app, 'Viewer')
  operator = await roleNamed(app, 'Operator')
})
afterAll(() => provider[Symbol.asyncDispose]())

let serial = 0
/** A unique key: twenty characters and a serial number. */
const newKey = () => `keyofaclientofthetest${++serial}`

/** An account with its administrator. */
async function administered(parent?: { id: number; scopeId: number }) {
  const account = await createAccount(app, parent ? { parent } : {})
  const roleId = await roleNamed(app, 'Account administrator')
  return { account, ...(await createUser(app, account, [{ roleId }])) }
}

/** A client of the real provider that creates users as viewers; registers its redirect URI there. */
async function oidcClient(over: object = {}) {
  const { account, api } = await administered()
  const key = newKey()
  const input = {
    accountId: account.id,
    title: 'Stadt',
    clientId: provider.clientId,
    key,
    clientSecret: provider.clientSecret,
    discoveryUrl: provider.issuer,
    createUsers: true,
    fallback: { scopeId: account.scopeId, roleId: viewer },
    ...over,
  }
  const client = await api.oidcClient.create(input)
  provider.allow(client.redirectUris)
  return { account, api, client, input }
}

/** Maps the public address to the test server. */
const local = (url: string) => (url.startsWith(publicUrl) ? `${app.url}${url.slice(publicUrl.length)}` : url)

interface Arrival {
  /** where the browser ends up: the console or the login page */
  at: string
  /** the error on the login page */
  error: string | null
  browser: Browser
}

/** Follows the button to the provider, signs in there, and returns. */
async function signInWith(key: string, name: string, options: { redirect?: string; browser?: Browser } = {}) {
  const browser = options.browser ?? new Browser()
  return follow(browser, await begin(browser, key, options.redirect), name)
}

/** @returns the address of the provider, or of the login page on an error */
async function begin(browser: Browser, key: string, redirect = '/virtual-devices'): Promise<string> {
  const query = new URLSearchParams({ redirect, moved: '1' })
  return target(await browser.fetch(`${app.url}/api/auth/sso/${key}/start?${query}`))
}

async function follow(browser: Browser, from: string, name: string): Promise<Arrival> {
  let url = from
  for (let hops = 0; hops < 12; hops++) {
    if (url.startsWith(`${publicUrl}/#`)) return arrivalAt(url, browser)
    const isPage = new URL(url).pathname.startsWith('/interaction/')
    const body = isPage ? new URLSearchParams({ name }) : undefined
    const reply = await browser.fetch(local(url), body ? { method: 'POST', body } : {})
    url = new URL(target(reply), url).href
  }
  throw new Error(`still under way at ${url}`)
}

function target(reply: Response): string {
  const location = reply.headers.get('location')
  if (location === null) throw new Error(`${reply.url} answered ${reply.status} and leads nowhere`)
  return location
}

function arrivalAt(url: string, browser: Browser): Arrival {
  const search = new URLSearchParams(new URL(url).hash.split('?')[1] ?? '')
  return { at: url.slice(publicUrl.length + 2), error: search.get('error'), browser }
}

const Identity = z.object({
  isAuthenticated: z.boolean(),
  token: z.string().catch(''),
  needsTwoFactor: z.boolean(),
  tenantId: z.int().nullable(),
  user: z.looseObject({ id: z.int() }).catch({ id: 0 }),
  access: z.object({ primaryTenantIds: z.array(z.int()) }).catch({ primaryTenantIds: [] }),
})

/** The user the browser is signed in as. */
async function whoIs(browser: Browser) {
  const reply = await browser.fetch(`${app.url}/api/auth/verify`)
  return Identity.parse(await reply.json())
}

const verified = (name: string, more: Person = {}): Person => ({
  email: `${name}@example.org`,
  email_verified: true,
  given_name: 'Ada',
  family_name: 'Lind',
  ...more,
})

function newPerson(more: Person = {}): string {
  const name = `person${++serial}`
  provider.people.set(name, verified(name, more))
  return name
}

describe('signing in with OpenID Connect', () => {
  test('creates the user at the first time with the mapped roles, and knows them by their name afterwards', async () => {
    const { account, api, client, input } = await oidcClient()
    const below = await createAccount(app, { parent: account })
    const { key: _stays, ...content } = input
    await api.oidcClient.update({
      ...content,
      id: client.id,
      version: 1,
      clientSecret: undefined,
      mappings: [{ claim: 'groups', value: 'ops', scopeId: below.scopeId, roleId: operator }],
    })
    const [one, two] = [newPerson({ groups: ['ops', 'x'] }), newPerson()]
    const first = await signInWith(client.key, one, { redirect: '/virtual-devices?tab=a' })
    expect(first).toMatchObject({ at: '/virtual-devices?tab=a', error: null })
    const { user, access } = await whoIs(first.browser)
    expect(user).toMatchObject({
      username: `${one}@example.org`,
      email: `${one}@example.org`,
      firstName: 'Ada',
      lastName: 'Lind',
      accountId: account.id,
    })
    expect(access.primaryTenantIds).toEqual([below.id])
    expect((await api.user.get({ id: user.id })).access).toEqual([
      { scopeId: below.scopeId, roleId: operator, isMain: true },
    ])
    const second = await signInWith(client.key, two)
    expect(await whoIs(second.browser)).toMatchObject({ access: { primaryTenantIds: [account.id] } })

    // A changed address does not make a different person.
    provider.people.set(one, verified('moved'))
    expect(await whoIs((await signInWith(client.key, one)).browser)).toMatchObject({ user: { id: user.id } })
    const log = await api.activityLog.list({ objectId: user.id, subject: 'User' })
    expect(log.items.map(({ action, userName }) => `${action} by ${userName}`)).toEqual([
      `login by ${one}@example.org`,
      `login by ${one}@example.org`,
      'create by single sign-on: Stadt',
    ])
    expect((await api.oidcClient.list({ accountIds: [account.id] })).items).toMatchObject([{ users: 2 }])
  })
})

describe('who is let in', () => {
  test('nobody unknown, when users are not created', async () => {
    const { client, api, account } = await oidcClient({ createUsers: false })
    const arrival = await signInWith(client.key, newPerson())
    expect(arrival).toMatchObject({ error: 'OIDC_USER_NOT_FOUND' })
    expect(await whoIs(arrival.browser)).toMatchObject({ isAuthenticated: false })
    expect((await api.activityLog.list({ subject: 'SsoClient', action: 'refuse' })).items).toMatchObject([
      { accountId: account.id, changes: { code: 'OIDC_USER_NOT_FOUND', reason: 'nobody has this address' } },
    ])
    await app.drain()
    expect((await api.failedSignIn.list({})).items).toMatchObject([
      { reason: 'sso', code: 'OIDC_USER_NOT_FOUND', name: 'stadt', user: null, account: { id: account.id } },
    ])
  })

  test.each([
    ['without an address', { email: undefined }],
    ['with one that is none', { email: 'nobody' }],
    ['with one that is not verified', { email_verified: false }],
    ['with one of which nothing is said', { email_verified: undefined }],
  ])('nobody new %s', async (_what, person) => {
    const { client } = await oidcClient()
    expect((await signInWith(client.key, newPerson(person))).error).toBe('OIDC_USER_NOT_CREATABLE')
  })

  test('somebody new of whose address nothing is said, when the provider is trusted to check them', async () => {
    const { client } = await oidcClient({ trustEmails: true })
    expect((await signInWith(client.key, newPerson({ email_verified: undefined }))).error).toBe(null)
    expect((await signInWith(client.key, newPerson({ email_verified: 'false' }))).error).toBe(
      'OIDC_USER_NOT_CREATABLE',
    )
  })

  test('nobody new whom no role is mapped to', async () => {
    const { client } = await oidcClient({ fallback: null })
    expect((await signInWith(client.key, newPerson())).error).toBe('OIDC_USER_NOT_CREATABLE')
  })

  test('nobody who is deactivated, or has lost every role', async () => {
    const { client, api } = await oidcClient()
    const name = newPerson()
    const { user } = await whoIs((await signInWith(client.key, name)).browser)
    const known = await api.user.get({ id: user.id })
    await api.user.update({ ...known, access: [] })
    expect((await signInWith(client.key, name)).error).toBe('AUTH_USER_UNASSIGNED_TENANT_OR_SCOPE')
    await api.user.update({ ...known, access: undefined, version: 2, active: false })
    expect((await signInWith(client.key, name)).error).toBe('AUTH_USER_DEACTIVATED')
  })

  test('nobody through a client that is switched off; who is there has to leave', async () => {
    const { client, api, input } = await oidcClient()
    const name = newPerson()
    const { browser } = await signInWith(client.key, name)
    expect(await whoIs(browser)).toMatchObject({ isAuthenticated: true })
    const { key: _stays, clientSecret: _too, ...content } = input
    await api.oidcClient.update({ ...content, id: client.id, version: 1, active: false })
    expect(await whoIs(browser)).toMatchObject({ isAuthenticated: false })
    expect((await signInWith(client.key, name)).error).toBe('OIDC_CLIENT_NOT_FOUND')
    expect((await signInWith('keyofnobodyatallhere', name)).error).toBe('OIDC_CLIENT_NOT_FOUND')
  })

  test('a deleted client ends the sessions that were begun with it, those handed on, too', async () => {
    const { client, api } = await oidcClient()
    const { browser } = await signInWith(client.key, newPerson())
    const { token, user } = await whoIs(browser)
    const { exchangeCode } = await createApi(app.url, token).exchange.code()
    const handed = await createApi(app.url).exchange.token({ exchange_code: exchangeCode })
    expect(await createApi(app.url, handed.token).auth.verify({})).toMatchObject({ isAuthenticated: true })
    expect(await api.user.get({ id: user.id })).toMatchObject({ invited: false })
    await api.oidcClient.delete({ id: client.id })
    expect(await whoIs(browser)).toMatchObject({ isAuthenticated: false })
    expect(await createApi(app.url, handed.token).auth.verify({})).toMatchObject({ isAuthenticated: false })
  })
})

describe('somebody with the same address', () => {
  /** A person at the provider who claims this address. */
  const saying = (email: string, more: Person = {}) => newPerson({ email, ...more })

  test('is bound to the person of the provider when that is wanted and the address is verified, once', async () => {
    const { client, account, api } = await oidcClient({ linkUsers: true, createUsers: false })
    const below = await createAccount(app, { parent: account })
    const { id, username } = await createUser(app, below, [{ roleId: viewer }])
    const email = `${username}@EXAMPLE.org`
    for (const more of [{ email_verified: false }, { email_verified: undefined }])
      expect((await signInWith(client.key, saying(email, more))).error).toBe('OIDC_USER_NOT_FOUND')
    const name = saying(email)
    expect(await whoIs((await signInWith(client.key, name)).browser)).toMatchObject({ user: { id } })
    // The address was reassigned to another person.
    expect((await signInWith(client.key, saying(email))).error).toBe('OIDC_USER_NOT_FOUND')
    expect(await whoIs((await signInWith(client.key, name)).browser)).toMatchObject({ user: { id } })
    const log = await api.activityLog.list({ subject: 'User', objectId: id, action: 'link' })
    expect(log.items).toHaveLength(1)
  })

  test('is not bound when that is not wanted, nor made twice', async () => {
    const { client, account } = await oidcClient()
    const { username } = await createUser(app, account, [{ roleId: viewer }])
    expect((await signInWith(client.key, saying(`${username}@example.org`))).error).toBe(
      'OIDC_USER_NOT_CREATABLE',
    )
  })

  test('in another account, or with more rights, is out of reach of who administers the provider', async () => {
    const above = await createAccount(app)
    const { client, account } = await oidcClient({ linkUsers: true })
    const admin = await roleNamed(app, 'Account administrator')
    const system = await roleNamed(app, 'System administrator')
    const elsewhere = await createUser(app, above, [{ roleId: viewer }])
    const moreElsewhere = await createUser(app, account, [
      { roleId: viewer },
      { roleId: admin, scopeId: above.scopeId },
    ])
    const systemAdmin = await createUser(app, account, [{ roleId: system }])
    for (const { username } of [elsewhere, moreElsewhere, systemAdmin, { username: 'root' }]) {
      const email = username === 'root' ? 'admin@localhost' : `${username}@example.org`
      expect((await signInWith(client.key, saying(email))).error, username).toBe('OIDC_USER_NOT_CREATABLE')
    }
    const own = await createUser(app, account, [{ roleId: admin }])
    expect((await signInWith(client.key, saying(`${own.username}@example.org`))).error).toBe(null)
  })

  test('who was bound and has been given more since, is not signed in by the provider any more', async () => {
    const { client, account } = await oidcClient()
    const name = newPerson()
    const { user } = await whoIs((await signInWith(client.key, name)).browser)
    const known = await app.api.user.get({ id: user.id })
    const more = { scopeId: app.rootScopeId, roleId: viewer, isMain: false }
    await app.api.user.updateAccess({
      userId: user.id,
      version: known.version,
      access: [...known.access, more],
    })
    expect((await signInWith(client.key, name)).error).toBe('SSO_USER_MAY_DO_MORE')
    await app.api.user.updateAccess({
      userId: user.id,
      version: known.version + 1,
      access: known.access,
    })
    expect((await signInWith(client.key, name)).error).toBe(null)
    expect(known.accountId).toBe(account.id)
  })
})

describe('an answer of the provider', () => {
  test('counts once, in the browser it was begun in, with its state, at its own address, for ten minutes', async () => {
    const { client } = await oidcClient()
    const { client: other } = await oidcClient()
    provider.allow([...client.redirectUris, ...other.redirectUris])
    const name = newPerson()
    /** Signs in at the provider. @returns the address it sends the browser back to */
    const answered = async (browser: Browser, from?: string) => {
      let url = from ?? (await begin(browser, client.key))
      while (!url.startsWith(publicUrl)) {
        const isPage = url.includes('/interaction/')
        const init = isPage ? { method: 'POST', body: new URLSearchParams({ name }) } : {}
        url = new URL(target(await browser.fetch(url, init)), url).href
      }
      return url
    }
    const errorAt = async (browser: Pick<Browser, 'fetch'>, url: string) =>
      arrivalAt(target(await browser.fetch(local(url))), new Browser()).error
    const ended = 'SSO_ATTEMPT_ENDED'

    // A browser that keeps its cookie although it was cleared.
    const begun = await fetch(`${app.url}/api/auth/sso/${client.key}/start?moved=1`, { redirect: 'manual' })
    const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const keeping = {
      fetch: (url: string | URL) => fetch(url, { redirect: 'manual', headers: { cookie } }),
    }
    const url = await answered(new Browser(), target(begun))
    expect(await errorAt(new Browser(), url)).toBe(ended)
    expect(await errorAt(keeping, url)).toBe(null)
    expect(await errorAt(keeping, url)).toBe(ended)

    const tampered = new Browser()
    expect(await errorAt(tampered, (await answered(tampered)).replace('state=', 'state=x'))).toBe(ended)
    const mixed = new Browser()
    expect(await errorAt(mixed, (await answered(mixed)).replace(client.key, other.key))).toBe(ended)
    const late = new Browser()
    const old = await answered(late)
    clock.advance(10 * 60_000)
    expect(await errorAt(late, old)).toBe(ended)
  })

  test('leads nowhere but into the console', async () => {
    const { client } = await oidcClient()
    for (const redirect of ['//evil.example', 'https://evil.example', '/\\evil.example', '/login'])
      expect(arrivalAt(await begin(new Browser(), client.key, redirect), new Browser()).error).toBe(
        'INVALID_REDIRECT_URL',
      )
    expect((await signInWith(client.key, newPerson(), { redirect: '' })).at).toBe('/home')
  })
})

describe('a provider that does not behave', () => {
  let foreign: ForeignProvider
  let honest: Pick<ForeignProvider, 'token' | 'userinfo' | 'answerWith'>
  beforeAll(async () => {
    foreign = await startForeignProvider()
    honest = { token: foreign.token, userinfo: foreign.userinfo, answerWith: foreign.answerWith }
  })
  beforeEach(() => {
    Object.assign(foreign, honest)
    serial++
    foreign.userinfo = () => ({
      body: { sub: 'somebody', id: 7, email: `f${serial}@example.org`, email_verified: true },
    })
  })
  afterAll(() => foreign[Symbol.asyncDispose]())

  const endpointsOf = () => ({
    issuer: foreign.url,
    authorization: `${foreign.url}/authorize`,
    token: `${foreign.url}/token`,
    userinfo: `${foreign.url}/userinfo`,
    jwks: `${foreign.url}/jwks`,
  })
  const oidc = () =>
    oidcClient({ discoveryUrl: null, endpoints: endpointsOf(), clientId: 'client', clientSecret: 'secret' })
  async function oauth2() {
    const { account, api } = await administered()
    const client = await api.oauth2Client.create({
      accountId: account.id,
      title: 'Alt',
      clientId: 'client',
      clientSecret: 's',
      key: newKey(),
      createUsers: true,
      fallback: { scopeId: account.scopeId, roleId: viewer },
      endpoints: endpointsOf(),
    })
    return { account, api, client }
  }
  const body = (token: object) => () => ({ body: { access_token: 'a', token_type: 'Bearer', ...token } })

  test('is heard when it does', async () => {
    const { client, account } = await oidc()
    const { browser, error } = await signInWith(client.key, '')
    expect(error).toBe(null)
    expect(await whoIs(browser)).toMatchObject({ tenantId: account.id })
    expect(foreign.asked.get('code_challenge_method')).toBe('S256')
    expect(foreign.asked.get('redirect_uri')).toBe(`${publicUrl}/api/auth/sso/${client.key}/callback`)
  })

  test.each([
    ['another nonce', () => ({ nonce: 'other' })],
    ['no nonce', () => ({ nonce: undefined })],
    ['another issuer', () => ({ iss: 'https://other.example' })],
    ['another audience', () => ({ aud: 'other' })],
    ['a time that is over', () => ({ exp: Math.floor(Date.now() / 1000) - 3600 })],
    ['no subject', () => ({ sub: undefined })],
  ])('an ID token with %s is none', async (_what, claims) => {
    const { client } = await oidc()
    foreign.token = () => body({ id_token: foreign.idToken(claims()) })()
    expect((await signInWith(client.key, '')).error).toBe('OIDC_ACCESS_TOKEN_NOT_RETRIEVABLE')
  })

  test('nor is one that somebody else has signed, nor none at all', async () => {
    const { client } = await oidc()
    foreign.token = () => body({ id_token: foreign.forgedToken() })()
    expect((await signInWith(client.key, '')).error).toBe('OIDC_ACCESS_TOKEN_NOT_RETRIEVABLE')
    foreign.token = body({})
    expect((await signInWith(client.key, '')).error).toBe('OIDC_ACCESS_TOKEN_NOT_RETRIEVABLE')
  })

  test.each([
    ['a server error', { status: 500, body: 'no' }],
    ['a refusal', { status: 400, body: { error: 'invalid_grant' } }],
    ['a text', { body: 'hello' }],
  ])('%s at the token end point is no token', async (_what, answer) => {
    const [one, two] = [await oidc(), await oauth2()]
    foreign.token = () => answer
    expect((await signInWith(one.client.key, '')).error).toBe('OIDC_ACCESS_TOKEN_NOT_RETRIEVABLE')
    expect((await signInWith(two.client.key, '')).error).toBe('OAUTH2_ACCESS_TOKEN_NOT_RETRIEVABLE')
  })

  test.each([
    ['a server error', { status: 500, body: {} }],
    ['a text', { body: 'hello' }],
    ['a list', { body: [] }],
    ['somebody else', { body: { sub: 'another' } }],
  ])('%s at the user info end point says nothing', async (_what, answer) => {
    const [one, two] = [await oidc(), await oauth2()]
    foreign.userinfo = () => answer
    expect((await signInWith(one.client.key, '')).error).toBe('OIDC_USER_INFO_UNAVAILABLE')
    foreign.token = body({})
    expect((await signInWith(two.client.key, '')).error).toBe('OAUTH2_USER_INFO_UNAVAILABLE')
  })

  test('who refuses at the provider comes back without a code', async () => {
    const [one, two] = [await oidc(), await oauth2()]
    foreign.answerWith = { error: 'access_denied' }
    expect((await signInWith(one.client.key, '')).error).toBe('OIDC_AUTH_CODE_NOT_RETRIEVABLE')
    expect((await signInWith(two.client.key, '')).error).toBe('OAUTH2_AUTH_CODE_NOT_RETRIEVABLE')
  })

  test('OAuth2 alone: the user info says who it is, by what its fields are named', async () => {
    const { client, account, api } = await oauth2()
    foreign.token = body({})
    const { browser } = await signInWith(client.key, '')
    expect(await whoIs(browser)).toMatchObject({
      tenantId: account.id,
      user: { email: `f${serial}@example.org` },
    })
    foreign.userinfo = () => ({ body: { id: 8, email_verified: true } })
    expect((await signInWith(client.key, '')).error).toBe('OAUTH2_USER_NOT_CREATABLE')
    await api.oauth2Client.update({ ...client, createUsers: false })
    foreign.userinfo = () => ({ body: { id: 9, email: `new${serial}@example.org`, email_verified: true } })
    expect((await signInWith(client.key, '')).error).toBe('OAUTH2_USER_NOT_FOUND')
  })

  test('a discovery for many issuers, or in a closed network, is not followed', async () => {
    const many = await oidcClient({ discoveryUrl: `${foreign.url}/many/.well-known/openid-configuration` })
    expect(arrivalAt(await begin(new Browser(), many.client.key), new Browser()).error).toBe(
      'OIDC_AUTH_CODE_NOT_RETRIEVABLE',
    )
    const closed = await oidcClient({ discoveryUrl: 'http://169.254.169.254/latest' })
    expect(arrivalAt(await begin(new Browser(), closed.client.key), new Browser()).error).toBe(
      'OIDC_AUTH_CODE_NOT_RETRIEVABLE',
    )
  })

  test('the second factor counts as done when the provider says so, where that is believed', async () => {
    const name = { body: {} }
    foreign.userinfo = () => ({
      ...name,
      body: { sub: 'somebody', email: `f${serial}@example.org`, email_verified: true },
    })
    const needs = async (secondFactor: string, claims: object) => {
      const { client, account } = await oidcClient({
        discoveryUrl: null,
        endpoints: endpointsOf(),
        clientId: 'client',
        clientSecret: 'secret',
        secondFactor,
        trustEmails: true,
      })
      serial++
      await app.api.twofactor.demand({ id: account.id, version: 1, required: true })
      foreign.token = () => body({ id_token: foreign.idToken({ ...claims }) })()
      return (await whoIs((await signInWith(client.key, '')).browser)).needsTwoFactor
    }
    expect(await needs('own', { amr: ['mfa'] })).toBe(true)
    expect(await needs('amr', { amr: ['pwd'] })).toBe(true)
    expect(await needs('amr', { amr: ['pwd', 'otp'] })).toBe(false)
    expect(await needs('provider', {})).toBe(false)
  })
})

describe('the own second factor', () => {
  const codeOf = (secret: string) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() })

  test('is set up after a fresh sign-on by who has no password, and asked for from then on', async () => {
    const { client, account } = await oidcClient()
    await app.api.twofactor.demand({ id: account.id, version: 1, required: true })
    const name = newPerson()
    const { browser } = await signInWith(client.key, name)
    const { token, needsTwoFactor } = await whoIs(browser)
    expect(needsTwoFactor).toBe(true)
    const api = createApi(app.url, token)
    expect(await api.twofactor.status()).toMatchObject({ hasPassword: false })
    clock.advance(10 * 60_000 + 1)
    expect(await errorOf(api.twofactor.setUp({}))).toMatchObject({ code: 'SSO_SIGN_IN_AGAIN' })
    const again = createApi(app.url, (await whoIs((await signInWith(client.key, name)).browser)).token)
    const { secret } = await again.twofactor.setUp({})
    await again.twofactor.enable({ code: codeOf(secret) })
    expect(await again.virtualdevice.list({})).toMatchObject({ total: 0 })

    clock.advance(30_000)
    const waiting = await signInWith(client.key, name, { redirect: '/home' })
    expect(waiting.at).toBe('/login?step=code&redirect=%2Fhome')
    expect(await whoIs(waiting.browser)).toMatchObject({ isAuthenticated: false })
    const confirm = (code: string, with_ = waiting.browser) =>
      with_.fetch(`${app.url}/api/auth/sso/confirm`, {
        method: 'POST',
        body: JSON.stringify({ code }),
        headers: { 'content-type': 'application/json' },
      })
    const wrong = codeOf(secret) === '000000' ? '000001' : '000000'
    expect(await (await confirm(wrong)).json()).toMatchObject({ code: '2FA_TOKEN_FAILURE' })
    await app.drain()
    expect((await app.api.failedSignIn.list({ search: name, reason: 'factor' })).total).toBe(1)
    expect(await (await confirm(codeOf(secret), new Browser())).json()).toMatchObject({
      code: 'SSO_ATTEMPT_ENDED',
    })
    expect((await confirm(codeOf(secret))).status).toBe(200)
    expect(await whoIs(waiting.browser)).toMatchObject({ isAuthenticated: true, needsTwoFactor: false })
    expect(await (await confirm(codeOf(secret))).json()).toMatchObject({ code: 'SSO_ATTEMPT_ENDED' })
  })
})

describe('roles from the provider', () => {
  test('follow it at every sign-in when that is wanted', async () => {
    const { account, api, client, input } = await oidcClient()
    const { key: _stays, clientSecret: _too, ...content } = input
    const mapping = { claim: 'groups', value: 'ops', scopeId: account.scopeId, roleId: operator }
    await api.oidcClient.update({
      ...content,
      id: client.id,
      version: 1,
      mappings: [mapping],
      mapEveryTime: true,
    })
    const name = newPerson({ groups: ['ops'] })
    const { user } = await whoIs((await signInWith(client.key, name)).browser)
    const roles = async () => (await api.user.get({ id: user.id })).access.map(({ roleId }) => roleId)
    expect(await roles()).toEqual([operator])
    provider.people.set(name, verified(name, { groups: [] }))
    await signInWith(client.key, name)
    expect(await roles()).toEqual([viewer])
    const log = await api.activityLog.list({ subject: 'User', objectId: user.id, action: 'update' })
    expect(log.items).toHaveLength(1)
    await api.oidcClient.update({
      ...content,
      id: client.id,
      version: 2,
      fallback: null,
      mapEveryTime: true,
    })
    expect((await signInWith(client.key, name)).error).toBe('AUTH_USER_UNASSIGNED_TENANT_OR_SCOPE')
    await api.oidcClient.update({ ...content, id: client.id, version: 3, mapEveryTime: false })
    await signInWith(client.key, name)
    expect(await roles()).toEqual([])
  })
})

describe('the clients of an account', () => {
  const refused = { code: 'NO_PERMISSION', status: 403 }
  const inputOf = (accountId: number, over: object = {}) => ({
    accountId,
    title: 'Stadt',
    clientId: 'client',
    discoveryUrl: 'https://id.example.org',
    ...over,
  })

  test('are created, changed and deleted; the secret stays here, and each is in the log', async () => {
    const { account, api } = await administered()
    const logo = `data:image/png;base64,${dot.toString('base64')}`
    const client = await api.oidcClient.create(inputOf(account.id, { clientSecret: 'hush', logo }))
    expect(client).toMatchObject({
      hasSecret: true,
      users: 0,
      version: 1,
      scopes: ['openid', 'profile', 'email'],
    })
    expect(client.redirectUris).toEqual([`${publicUrl}/api/auth/sso/${client.key}/callback`])
    const changed = await api.oidcClient.update({
      ...inputOf(account.id, { title: 'Stadtwerke', clientSecret: 'other' }),
      id: client.id,
      version: 1,
    })
    expect(changed).toMatchObject({ title: 'Stadtwerke', hasSecret: true, version: 2, key: client.key })
    const stale = api.oidcClient.update({ ...inputOf(account.id), id: client.id, version: 1 })
    expect(await errorOf(stale)).toMatchObject({ code: 'VERSION_CONFLICT' })
    const open = await api.oidcClient.update({
      ...inputOf(account.id, { clientSecret: null }),
      id: client.id,
      version: 2,
    })
    expect(open.hasSecret).toBe(false)
    expect(await api.oidcClient.list({})).toMatchObject({ total: 1 })
    expect(await api.oauth2Client.list({})).toMatchObject({ total: 0 })
    expect(await errorOf(api.oauth2Client.delete({ id: client.id }))).toMatchObject({
      code: 'OAUTH2_CLIENT_NOT_FOUND',
    })
    await api.oidcClient.delete({ id: client.id })
    const { items } = await api.activityLog.list({ subject: 'SsoClient', objectId: client.id })
    expect(items.map(({ action }) => action)).toEqual(['delete', 'update', 'update', 'create'])
    expect(items[2]?.changes).toMatchObject({ title: ['Stadt', 'Stadtwerke'], clientSecret: ['***', '***'] })
    expect(JSON.stringify([client, changed, items])).not.toMatch(/hush|other/)
    const rows = await app.ctx.db.selectFrom('sso_clients').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain('hush')
  })

  test('are out of sight of others, and nothing for programs', async () => {
    const mine = await administered()
    const theirs = await administered()
    const client = await mine.api.oidcClient.create(inputOf(mine.account.id))
    expect(await theirs.api.oidcClient.list({})).toMatchObject({ total: 0 })
    const change = { ...inputOf(mine.account.id), id: client.id, version: 1 }
    expect(await errorOf(theirs.api.oidcClient.update(change))).toMatchObject({
      code: 'OIDC_CLIENT_NOT_FOUND',
    })
    expect(await errorOf(theirs.api.oidcClient.delete({ id: client.id }))).toMatchObject({ status: 404 })
    expect(await errorOf(theirs.api.oidcClient.create(inputOf(mine.account.id)))).toMatchObject({
      code: 'TENANT_NOT_FOUND',
    })
    const check = { ...inputOf(theirs.account.id), id: client.id }
    expect(await errorOf(theirs.api.oidcClient.validate(check))).toMatchObject({
      code: 'OIDC_CLIENT_NOT_FOUND',
    })
    const moved = { ...inputOf(theirs.account.id), id: client.id, version: 1 }
    expect(await errorOf(app.api.oidcClient.update(moved))).toMatchObject({ code: 'VALIDATION_ERROR' })
    const viewing = await createUser(app, mine.account, [{ roleId: viewer }])
    expect(await errorOf(viewing.api.oidcClient.list({}))).toMatchObject(refused)
  })

  test('are for those who can do everything there: through them one could sign in as anybody', async () => {
    const account = await createAccount(app)
    const almost = await createRole(app, [
      { subject: 'all', actions: ['manage'] },
      { subject: 'Dashboards', actions: ['manage'], inverted: true },
    ])
    const { api } = await createUser(app, account, [{ roleId: almost }])
    expect(await errorOf(api.oidcClient.create(inputOf(account.id)))).toMatchObject(refused)
  })

  test('give only roles and scopes of the account, which the one who decides has', async () => {
    const { account, api } = await administered()
    const other = await createAccount(app)
    const system = await roleNamed(app, 'System administrator')
    const create = (over: object) => errorOf(api.oidcClient.create(inputOf(account.id, over)))
    const mapping = { claim: 'groups', value: 'x', scopeId: account.scopeId, roleId: viewer }
    expect(await create({ mappings: [{ ...mapping, scopeId: other.scopeId }] })).toMatchObject({
      code: 'SCOPE_NOT_FOUND',
    })
    expect(await create({ fallback: { scopeId: app.rootScopeId, roleId: viewer } })).toMatchObject({
      code: 'SCOPE_NOT_FOUND',
    })
    expect(await create({ mappings: [{ ...mapping, roleId: 999_999 }] })).toMatchObject({
      code: 'ABAC_ROLE_NOT_FOUND',
    })
    expect(await create({ mappings: [{ ...mapping, roleId: system }] })).toMatchObject(refused)
    // Not even by a caller who has it: providers are never trusted for system administrators.
    const root = { scopeId: app.rootScopeId, roleId: system }
    expect(
      await errorOf(app.api.oidcClient.create(inputOf(app.rootAccountId, { fallback: root }))),
    ).toMatchObject(refused)
  })

  test('a role that is mapped cannot be made more than those have who change it', async () => {
    const { account } = await administered()
    const role = await app.api.acl.createRole({
      accountId: account.id,
      name: 'Mapped',
      description: '',
      icon: null,
      rules: [{ subject: 'Dashboards', actions: ['read'] }],
    })
    await app.api.oidcClient.create(
      inputOf(account.id, { fallback: { scopeId: account.scopeId, roleId: role.id } }),
    )
    const almost = await createRole(app, [
      { subject: 'all', actions: ['manage'] },
      { subject: 'IsFmAccess', actions: ['manage'], inverted: true },
    ])
    const { api } = await createUser(app, account, [{ roleId: almost }])
    const change = { ...role, rules: [{ subject: 'IsFmAccess' as const, actions: ['manage' as const] }] }
    expect(await errorOf(api.acl.updateRole(change))).toMatchObject(refused)
  })

  test.each([
    ['a picture of another kind', `data:image/jpeg;base64,${'iVBORw0KGgo='}`, 'VALIDATION_ERROR'],
    [
      'a text',
      `data:image/png;base64,${Buffer.from('<svg onload=x>').toString('base64')}`,
      'VALIDATION_ERROR',
    ],
    ['an address', 'https://evil.example/logo.png', 'PARAMETER_VALIDATION_ERROR'],
    ['a drawing with scripts', 'data:image/svg+xml;base64,AAAA', 'PARAMETER_VALIDATION_ERROR'],
    ['too much', `data:image/png;base64,${'A'.repeat(100_000)}`, 'PARAMETER_VALIDATION_ERROR'],
  ])('%s is no logo', async (_what, logo, code) => {
    const { account, api } = await administered()
    expect(await errorOf(api.oidcClient.create(inputOf(account.id, { logo })))).toMatchObject({ code })
  })

  test('have their buttons on the login page of a domain of the account, and nothing else there', async () => {
    const { account, api } = await administered()
    const domain = `login${account.id}.example.org`
    await insertProvenDomain(app, account.id, domain)
    const client = await api.oidcClient.create(inputOf(account.id, { clientSecret: 'hush' }))
    const old = await api.oauth2Client.create({
      accountId: account.id,
      title: 'Alt',
      clientId: 'x',
      endpoints: { authorization: 'https://a.b/a', token: 'https://a.b/t', userinfo: 'https://a.b/u' },
    })
    const nobody = createApi(app.url)
    const startPath = `/api/auth/sso/${client.key}/start`
    expect(await nobody.sso.oidcButtons({ domain: domain.toUpperCase() })).toEqual({
      items: [{ title: 'Stadt', logo: null, startPath }],
    })
    expect((await nobody.sso.oauth2Buttons({ domain })).items).toEqual([
      { title: 'Alt', logo: null, startPath: `/api/auth/sso/${old.key}/start` },
    ])
    expect((await nobody.sso.oidcButtons({ domain: 'unknown.example.org' })).items).toEqual([])
    const top = await app.api.oidcClient.create(inputOf(app.rootAccountId, { title: 'Oben' }))
    expect((await nobody.sso.oidcButtons({ domain: 'unknown.example.org' })).items).toMatchObject([
      { title: 'Oben' },
    ])
    await app.api.oidcClient.delete({ id: top.id })
    const { redirectUris } = await api.sso.addresses({ accountId: account.id, key: client.key })
    expect((await api.oidcClient.list({})).items[0]?.redirectUris).toEqual(redirectUris)
    expect(redirectUris).toEqual([
      `${publicUrl}/api/auth/sso/${client.key}/callback`,
      `http://${domain}/api/auth/sso/${client.key}/callback`,
    ])
  })

  test('under a domain of the account people come back there, under any other to the public address', async () => {
    const { client, account } = await oidcClient()
    const domain = `back${account.id}.example.org`
    await insertProvenDomain(app, account.id, domain)
    const ask = async (host: string) => {
      const url = `/api/auth/sso/${client.key}/start?redirect=%2Fhome`
      return String((await app.ctx.http.inject({ url, headers: { host } })).headers.location)
    }
    expect(new URL(await ask(domain)).searchParams.get('redirect_uri')).toBe(
      `http://${domain}/api/auth/sso/${client.key}/callback`,
    )
    const moved = await ask('evil.example')
    expect(moved).toBe(`${publicUrl}/api/auth/sso/${client.key}/start?redirect=%2Fhome&moved=1`)
  })
})

describe('checking a provider', () => {
  const stateOf = (report: SsoReport) =>
    Object.fromEntries(report.checks.map(({ step, state, reason }) => [step, `${state} ${reason}`]))

  test('says that all is well, and what it has found', async () => {
    const { api, client, input } = await oidcClient()
    const { clientSecret: _kept, ...rest } = input
    const report = await api.oidcClient.validate({ ...rest, id: client.id })
    expect(stateOf(report)).toEqual({
      discovery: 'ok reached',
      authorization: 'ok reached',
      keys: 'ok keysFound',
      token: 'ok secretAccepted',
      userinfo: 'ok reached',
      scopes: 'ok accepted',
    })
    expect(report.ok).toBe(true)
    expect(report.discovered).toMatchObject({ issuer: provider.issuer, token: `${provider.issuer}/token` })
  })

  test('names what is wrong', async () => {
    const { api, input } = await oidcClient()
    const check = async (over: object) => stateOf(await api.oidcClient.validate({ ...input, ...over }))
    expect((await check({ clientSecret: 'wrong' })).token).toBe('failed secret')
    expect((await check({ clientId: 'nobody' })).authorization).toBe('failed clientUnknown')
    expect((await check({ scopes: ['openid', 'x'] })).scopes).toBe('warning scopes')
    expect((await check({ scopes: ['email'] })).scopes).toBe('failed scopes')
    expect(await check({ discoveryUrl: `${provider.issuer}/nowhere` })).toEqual({
      discovery: 'failed answer',
    })
    expect(await check({ discoveryUrl: 'http://127.0.0.1:1/' })).toEqual({ discovery: 'failed unreachable' })
    expect(await check({ discoveryUrl: 'http://10.0.0.1/' })).toEqual({ discovery: 'failed forbidden' })
    expect(await check({ discoveryUrl: 'https://nobody.invalid/' })).toEqual({
      discovery: 'failed hostUnknown',
    })
    const issuer = `${provider.issuer.replace('127.0.0.1', 'localhost')}/`
    expect(await check({ discoveryUrl: issuer })).toEqual({ discovery: 'failed issuer' })
    await using foreign = await startForeignProvider()
    const many = `${foreign.url}/many/.well-known/openid-configuration`
    expect(await check({ discoveryUrl: many })).toEqual({ discovery: 'failed severalIssuers' })
  })

  test('looks at the end points of OAuth2 alone', async () => {
    const { account, api } = await administered()
    await using foreign = await startForeignProvider()
    foreign.token = () => ({ status: 400, body: { error: 'invalid_grant' } })
    foreign.userinfo = () => ({ status: 401, body: {} })
    const [authorization, token] = [`${foreign.url}/authorize`, `${foreign.url}/token`]
    const input = {
      accountId: account.id,
      title: 'Alt',
      clientId: 'client',
      clientSecret: 's',
      endpoints: { authorization, token, userinfo: `${foreign.url}/userinfo` },
    }
    expect(stateOf(await api.oauth2Client.validate(input))).toEqual({
      authorization: 'ok reached',
      token: 'ok secretAccepted',
      userinfo: 'ok reached',
    })
    foreign.token = () => ({ status: 401, body: { error: 'invalid_client' } })
    const endpoints = { ...input.endpoints, userinfo: `${foreign.url}/nothing` }
    expect(stateOf(await api.oauth2Client.validate({ ...input, endpoints }))).toMatchObject({
      token: 'failed secret',
      userinfo: 'failed answer',
    })
  })
})
