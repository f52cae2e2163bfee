import { liveLimits } from '@leitstand/contract/live'
import { fetchUserInfo, refreshTokenGrant, tokenRevocation } from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  createAccount,
  createApi,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { openLive } from '../../../test/live.ts'
import {
  Browser,
  beginRequest,
  consentPage,
  goThrough,
  locationOf,
  type RelyingParty,
  redeem,
  refusalOf,
  relyingParty,
  requestIn,
  tokensFor,
} from '../../../test/oauth.ts'
import { freePort } from '../../../test/ports.ts'

const redirectUri = 'https://app.example.org/back'
const day = 24 * 3_600_000
const clock = new FakeClock()
let app: TestApp
let account: { id: number; scopeId: number; name: string }

beforeAll(async () => {
  const port = await freePort()
  app = await startApp({ clock, config: { port, publicUrl: `http://127.0.0.1:${port}` } })
  account = await createAccount(app, { name: 'Waterworks' })
})

type Kind = 'confidential' | 'public'

async function createApplication(
  scopes: readonly string[],
  { kind = 'confidential' as Kind, accountId = account.id, uri = redirectUri, inHeader = false } = {},
) {
  const { application, secret } = await app.api.application.create({
    accountId,
    title: 'Meter app',
    description: 'Reads meters',
    kind,
    redirectUris: [uri],
    scopes: scopes as ['openid'],
  })
  const party = await relyingParty(
    app,
    { clientId: application.clientId, secret, redirectUri: uri },
    inHeader,
  )
  return { application, secret, party }
}

const operator = async () => createUser(app, account, [{ roleId: await roleNamed(app, 'Operator') }])
const everything = ['openid', 'profile', 'email', 'devices.read', 'devices.manage', 'twins.read', 'all']
const newTwin = (title: string) =>
  ({ accountId: account.id, title }) as Parameters<typeof app.api.digitaltwin.create>[0]

describe('signing in to an application', () => {
  test('leads over the consent page to tokens that say who somebody is and act for him', async () => {
    const { party, application } = await createApplication(everything)
    const user = await operator()
    const begun = await beginRequest(party, 'openid profile email devices.read')
    const browser = new Browser()
    const request = requestIn(locationOf(await browser.fetch(begun.url), app.url))
    const page = consentPage(app, browser, user.token, request)
    expect((await page.look()).body).toMatchObject({
      title: 'Meter app',
      accountName: 'Waterworks',
      returnsTo: 'app.example.org',
      scopes: ['openid', 'profile', 'email', 'devices.read'],
      allowedBefore: false,
      withinReach: true,
    })
    const { returnTo } = (await page.decide(true)).body
    const back = locationOf(await browser.fetch(String(returnTo)), app.url)
    expect(back.href.startsWith(`${redirectUri}?`)).toBe(true)
    const tokens = await redeem(begun, back)
    expect(tokens.claims()).toMatchObject({
      sub: String(user.id),
      aud: application.clientId,
      preferred_username: user.username,
      email: `${user.username}@example.org`,
    })
    const info = await fetchUserInfo(party.config, tokens.access_token, String(user.id))
    expect(info).toMatchObject({ sub: String(user.id), name: user.username })

    const { items } = await app.api.activityLog.list({ search: 'Meter app' })
    expect(items[0]).toMatchObject({ action: 'allow', subject: 'Application', userId: user.id })
    expect((await app.api.application.list({ accountIds: [account.id] })).items).toContainEqual(
      expect.objectContaining({ id: application.id, users: 1 }),
    )
  })

  test('is asked for once: what was allowed before is known, more than that is asked again', async () => {
    const { party } = await createApplication(everything)
    const user = await operator()
    await tokensFor(app, party, 'openid devices.read', user.token)
    const again = async (scope: string) => {
      const browser = new Browser()
      const begun = await beginRequest(party, scope)
      const request = requestIn(locationOf(await browser.fetch(begun.url), app.url))
      return (await consentPage(app, browser, user.token, request).look()).body.allowedBefore
    }
    expect(await again('openid devices.read')).toBe(true)
    expect(await again('openid')).toBe(true)
    expect(await again('openid twins.read')).toBe(false)
  })

  test('may be refused', async () => {
    const { party } = await createApplication(everything)
    const begun = await beginRequest(party, 'openid')
    const back = await goThrough(app, begun, (await operator()).token, { allow: false })
    expect(await refusalOf(redeem(begun, back))).toBe('access_denied')
  })

  test('works with the secret in the header, and without one for a public application on any port', async () => {
    const user = await operator()
    const inHeader = await createApplication(everything, { inHeader: true })
    expect((await tokensFor(app, inHeader.party, 'openid', user.token)).claims?.sub).toBe(String(user.id))
    const { party, secret } = await createApplication(everything, {
      kind: 'public',
      uri: 'http://127.0.0.1/back',
    })
    expect(secret).toBeNull()
    const desktop: RelyingParty = { ...party, redirectUri: 'http://127.0.0.1:51234/back' }
    const tokens = await tokensFor(app, desktop, 'openid devices.read', user.token)
    expect((await tokens.api.virtualdevice.list({})).total).toBe(0)
    // Any local program could pose as this one, so consent is required each time.
    const browser = new Browser()
    const request = requestIn(
      locationOf(await browser.fetch((await beginRequest(desktop, 'openid')).url), app.url),
    )
    expect((await consentPage(app, browser, user.token, request).look()).body.allowedBefore).toBe(false)
  })
})

describe('what is not as it has to be is refused', () => {
  /** The error shown by the console, since the redirect URI is not trusted. */
  const toldByConsole = async (url: URL) => {
    const { hash } = locationOf(await new Browser().fetch(url), app.url)
    return /^#\/oauth\?error=(\w+)$/.exec(hash)?.[1]
  }

  test('an address to return to that is not registered, and an application nobody knows', async () => {
    const { party } = await createApplication(everything)
    const { url } = await beginRequest({ ...party, redirectUri: `${redirectUri}/elsewhere` }, 'openid')
    expect(await toldByConsole(url)).toBe('invalid_redirect_uri')
    const unknown = (await beginRequest(party, 'openid')).url
    unknown.searchParams.set('client_id', 'app_nobody')
    expect(await toldByConsole(unknown)).toBe('invalid_client')
  })

  test.each(['confidential', 'public'] as const)(
    'a request of a %s application without PKCE',
    async (kind) => {
      const { party } = await createApplication(everything, { kind })
      const { url } = await beginRequest(party, 'openid')
      url.searchParams.delete('code_challenge')
      url.searchParams.delete('code_challenge_method')
      const back = locationOf(await new Browser().fetch(url), app.url)
      expect(back.searchParams.get('error')).toBe('invalid_request')
    },
  )

  test('the plain method of PKCE, other grants, and scopes the application may not ask for', async () => {
    const { party } = await createApplication(['openid', 'devices.read'])
    const errorWith = async (change: (url: URL) => void) => {
      const { url } = await beginRequest(party, 'openid')
      change(url)
      const back = locationOf(await new Browser().fetch(url), app.url)
      return back.searchParams.get('error') ?? new URLSearchParams(back.hash.slice(1)).get('error')
    }
    const set = (name: string, value: string) => (url: URL) => url.searchParams.set(name, value)
    expect(await errorWith(set('code_challenge_method', 'plain'))).toBe('invalid_request')
    expect(await errorWith(set('response_type', 'token'))).toBe('invalid_request')
    expect(await errorWith(set('scope', 'openid all'))).toBe('invalid_scope')
    expect(await errorWith(set('prompt', 'none'))).toBe('login_required')
  })

  test('a wrong verifier, a wrong secret, and the secret before the last rotation', async () => {
    const { party, application } = await createApplication(everything)
    const user = await operator()
    const begun = await beginRequest(party, 'openid')
    const back = await goThrough(app, begun, user.token)
    expect(await refusalOf(redeem({ ...begun, verifier: 'a'.repeat(43) }, back))).toBe('invalid_grant')

    const { id, version, clientId } = application
    const other = { clientId, secret: 'lsa_wrong', redirectUri }
    const guessing = { ...begun, party: await relyingParty(app, other) }
    expect(await refusalOf(redeem(guessing, back))).toBe('invalid_client')

    const { secret } = await app.api.application.rotate({ id, version })
    expect(await refusalOf(redeem(begun, back))).toBe('invalid_client')
    const renewed = { ...begun, party: await relyingParty(app, { clientId, secret, redirectUri }) }
    expect((await redeem(renewed, back)).claims()?.sub).toBe(String(user.id))
  })

  test('a code that comes twice: it and everything that came of it ends', async () => {
    const { party } = await createApplication(everything)
    const begun = await beginRequest(party, 'openid devices.read')
    const back = await goThrough(app, begun, (await operator()).token)
    const { access_token: token } = await redeem(begun, back)
    await createApi(app.url, token).virtualdevice.list({})
    expect(await refusalOf(redeem(begun, back))).toBe('invalid_grant')
    expect(await errorOf(createApi(app.url, token).virtualdevice.list({}))).toMatchObject({
      code: 'AUTH_TOKEN_NOT_FOUND',
    })
  })

  test('a code that is older than a minute', async () => {
    const { party } = await createApplication(everything)
    const begun = await beginRequest(party, 'openid')
    const back = await goThrough(app, begun, (await operator()).token)
    clock.advance(61_000)
    expect(await refusalOf(redeem(begun, back))).toBe('invalid_grant')
  })

  test('somebody else’s request: only the browser it was begun in may decide, and only it goes on', async () => {
    const { party } = await createApplication(everything)
    const victim = await operator()
    const [attacker, browser] = [new Browser(), new Browser()]
    const request = requestIn(
      locationOf(await attacker.fetch((await beginRequest(party, 'openid')).url), app.url),
    )
    const lured = consentPage(app, browser, victim.token, request)
    for (const call of [lured.look(), lured.decide(true), lured.decide(false)])
      expect(await call).toMatchObject({ status: 404, body: { code: 'APPLICATION_REQUEST_ENDED' } })
    const own = await consentPage(app, attacker, victim.token, request).decide(true)
    const { hash } = locationOf(await browser.fetch(String(own.body.returnTo)), app.url)
    expect(hash).toMatch(/^#\/oauth\?error=/)
  })

  test('people who act as somebody else, keys, and applications themselves', async () => {
    const { party } = await createApplication(everything)
    const user = await operator()
    const { token } = await app.api.auth.impersonate({ userId: user.id })
    const browser = new Browser()
    const request = requestIn(
      locationOf(await browser.fetch((await beginRequest(party, 'openid')).url), app.url),
    )
    const page = consentPage(app, browser, token, request)
    for (const call of [page.look(), page.decide(true)])
      expect(await call).toMatchObject({ status: 403, body: { code: 'AUTH_IMPERSONATING' } })
    const { access_token: own } = await tokensFor(app, party, 'openid all', user.token)
    expect(await consentPage(app, browser, own, request).decide(true)).toMatchObject({
      body: { code: 'NO_PERMISSION' },
    })
  })
})

describe('an application may do', () => {
  test('what was allowed: read devices, but neither create one nor touch what is personal', async () => {
    const { party } = await createApplication(everything)
    const user = await operator()
    const { api } = await tokensFor(app, party, 'openid devices.read', user.token)
    await api.virtualdevice.list({})
    const device = { accountId: account.id, title: 'Meter', externalId: 'meter', connectorId: 1 }
    const refused = [
      () => api.virtualdevice.create(device),
      () => api.digitaltwin.list({}),
      () => api.user.setProperties({ properties: {} }),
      () => api.password.change({ oldPassword: 'x', newPassword: 'a new password' }),
      () => api.session.list({}),
      () => api.session.endOthers(),
      () => api.twofactor.status(),
      () => api.application.granted({}),
      () => api.exchange.code(),
      () => api.auth.logout(),
    ]
    for (const call of refused) expect(await errorOf(call())).toMatchObject({ code: 'NO_PERMISSION' })
    const verified = await api.auth.verify({})
    expect(verified).toMatchObject({ isAuthenticated: true, user: null, token: null, isApiKey: false })
    expect(verified.access?.permissions).toEqual(['VirtualDevice.read', 'VirtualDevice.list'])
  })

  test('with everything allowed still no more than its person, and the log names both', async () => {
    const { party } = await createApplication(everything)
    const viewer = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    const weak = await tokensFor(app, party, 'openid all', viewer.token)
    expect(await errorOf(weak.api.digitaltwin.create(newTwin('No')))).toMatchObject({ code: 'NO_PERMISSION' })
    const admin = await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])
    const strong = await tokensFor(app, party, 'openid all', admin.token)
    await strong.api.digitaltwin.create(newTwin('Made by an application'))
    const { items } = await app.api.activityLog.list({ search: 'Made by an application' })
    expect(items[0]).toMatchObject({
      action: 'create',
      userName: admin.username,
      applicationName: 'Meter app',
    })
    expect(await errorOf(strong.api.auth.impersonate({ userId: viewer.id }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
    const key = { title: 'Key', scopeId: account.scopeId, roleId: await roleNamed(app, 'Viewer') }
    expect(await errorOf(strong.api.apikey.create(key))).toMatchObject({ code: 'NO_PERMISSION' })
  })

  test('something only in its account and below; users without rights there cannot use it', async () => {
    const below = await createAccount(app, { parent: account })
    const beside = await createAccount(app)
    const { party } = await createApplication(everything)
    const { api } = await tokensFor(app, party, 'openid all', app.token)
    const { items } = await api.tenant.fetchAll()
    expect(items.map(({ id }) => id)).toContain(below.id)
    expect(items.map(({ id }) => id)).not.toContain(beside.id)
    expect((await api.auth.verify({})).access?.permissions).not.toContain('super.system.manage')

    const stranger = await createUser(app, beside, [{ roleId: await roleNamed(app, 'Operator') }])
    const browser = new Browser()
    const request = requestIn(
      locationOf(await browser.fetch((await beginRequest(party, 'openid')).url), app.url),
    )
    const page = consentPage(app, browser, stranger.token, request)
    expect((await page.look()).body).toMatchObject({ withinReach: false })
    expect(await page.decide(true)).toMatchObject({ status: 403, body: { code: 'APPLICATION_OUT_OF_REACH' } })
  })
})

describe('tokens are renewed', () => {
  test('by a refresh token that works once; the second use ends everything', async () => {
    const { party } = await createApplication(everything)
    const user = await operator()
    const first = await tokensFor(app, party, 'openid devices.read', user.token)
    const second = await refreshTokenGrant(party.config, first.refresh_token ?? '')
    expect(second.refresh_token).not.toBe(first.refresh_token)
    const api = createApi(app.url, second.access_token)
    await api.virtualdevice.list({})
    await first.api.virtualdevice.list({})
    expect(await refusalOf(refreshTokenGrant(party.config, first.refresh_token ?? ''))).toBe('invalid_grant')
    expect(await refusalOf(refreshTokenGrant(party.config, second.refresh_token ?? ''))).toBe('invalid_grant')
    for (const each of [api, first.api])
      expect(await errorOf(each.virtualdevice.list({}))).toMatchObject({ code: 'AUTH_TOKEN_NOT_FOUND' })
    expect((await user.api.application.granted({})).total).toBe(0)
    const { items } = await app.api.activityLog.list({ search: user.username })
    expect(items[0]).toMatchObject({ action: 'revoke', applicationName: 'Meter app' })
  })

  test('of two renewals at once one wins', async () => {
    const { party } = await createApplication(everything)
    const { refresh_token: token = '' } = await tokensFor(app, party, 'openid', (await operator()).token)
    const both = await Promise.allSettled([
      refreshTokenGrant(party.config, token),
      refreshTokenGrant(party.config, token),
    ])
    expect(both.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
  })

  test('for an hour: then the access token has ended, and after a month the refresh token', async () => {
    const { party } = await createApplication(everything)
    const { api, refresh_token: token = '' } = await tokensFor(
      app,
      party,
      'openid devices.read',
      (await operator()).token,
    )
    await api.virtualdevice.list({})
    clock.advance(3_600_000)
    expect(await errorOf(api.virtualdevice.list({}))).toMatchObject({ code: 'AUTH_TOKEN_NOT_FOUND' })
    const renewed = await refreshTokenGrant(party.config, token)
    clock.advance(31 * day)
    expect(await refusalOf(refreshTokenGrant(party.config, renewed.refresh_token ?? ''))).toBe(
      'invalid_grant',
    )
    await app.app.provider.clean()
    const kept = await app.ctx.db
      .selectFrom('oauth_records')
      .select('model')
      .where('expires_at', '<=', clock.now())
      .execute()
    expect(kept).toEqual([])
    app = { ...app, ...(await app.login('admin@localhost')) }
  })
})

describe('access ends at once', () => {
  async function given() {
    const made = await createApplication(everything)
    const user = await operator()
    return { ...made, user, ...(await tokensFor(app, made.party, 'openid devices.read', user.token)) }
  }

  type Given = Awaited<ReturnType<typeof given>>
  const ended = async (end: (given: Given) => Promise<unknown>) => {
    const all = await given()
    await all.api.virtualdevice.list({})
    using reader = await openLive(app, all.access_token)
    expect((await reader.follow('alarms')).at(-1)).toMatchObject({ kind: 'subscribed' })
    await end(all)
    await app.ctx.configChanges.settle()
    await app.ctx.live.settled()
    expect((await reader.closed).code).toBe(liveLimits.closeUnauthorised)
    expect(await errorOf(all.api.virtualdevice.list({}))).toMatchObject({ code: 'AUTH_TOKEN_NOT_FOUND' })
    return refusalOf(refreshTokenGrant(all.party.config, all.refresh_token ?? ''))
  }

  test('when its person takes it back in the profile', async () => {
    const refusal = await ended(async ({ user }) => {
      const { items } = await user.api.application.granted({})
      expect(items).toMatchObject([{ title: 'Meter app', scopes: ['openid', 'devices.read'].toSorted() }])
      expect(items[0]?.lastUsedAt).not.toBeNull()
      const other = await operator()
      const id = items[0]?.id ?? 0
      expect(await errorOf(other.api.application.revoke({ id }))).toMatchObject({
        code: 'APPLICATION_NOT_FOUND',
      })
      await user.api.application.revoke({ id })
    })
    expect(refusal).toBe('invalid_grant')
  })

  test('when its person is deactivated', async () => {
    const refusal = await ended(async ({ user }) => {
      const person = await app.api.user.get({ id: user.id })
      await app.api.user.update({ ...person, active: false })
    })
    expect(refusal).toBe('invalid_grant')
  })

  test('when the application is deleted', async () => {
    expect(await ended(({ application }) => app.api.application.delete({ id: application.id }))).toBe(
      'invalid_client',
    )
  })

  test('when the application gives it back', async () => {
    const refusal = await ended(({ party, refresh_token: token = '' }) =>
      tokenRevocation(party.config, token),
    )
    expect(refusal).toBe('invalid_grant')
    const one = await given()
    await one.api.virtualdevice.list({})
    await tokenRevocation(one.party.config, one.access_token)
    expect(await errorOf(one.api.virtualdevice.list({}))).toMatchObject({ code: 'AUTH_TOKEN_NOT_FOUND' })
    expect((await one.user.api.application.granted({})).total).toBe(1)
  })

  test('as far as it is taken out of the application', async () => {
    const { application, api } = await given()
    await api.virtualdevice.list({})
    const { id, version, title, redirectUris } = application
    await app.api.application.update({ id, version, title, redirectUris, scopes: ['openid'] })
    expect(await errorOf(api.virtualdevice.list({}))).toMatchObject({ code: 'NO_PERMISSION' })
  })

  test('when the account demands a second factor its person does not have', async () => {
    const strict = await createAccount(app)
    const { party } = await createApplication(everything, { accountId: strict.id })
    const user = await createUser(app, strict, [{ roleId: await roleNamed(app, 'Operator') }])
    const { api } = await tokensFor(app, party, 'openid devices.read', user.token)
    await api.virtualdevice.list({})
    const { version } = await app.api.twofactor.ofAccount({ id: strict.id })
    await app.api.twofactor.demand({ id: strict.id, version, required: true })
    expect(await errorOf(api.virtualdevice.list({}))).toMatchObject({ code: '2FA_SETUP_REQUIRED' })
    // A sign-in through a provider that checks a second factor counts as having one.
    await app.ctx.db
      .updateTable('sessions')
      .set({ factor_by_provider: true })
      .where('user_id', '=', user.id)
      .execute()
    app.app.people.forgetRights()
    const checked = await tokensFor(app, party, 'openid devices.read', user.token)
    await checked.api.virtualdevice.list({})
  })
})

describe('applications of an account', () => {
  test('are managed by its administrators, are not seen by others, and leave entries', async () => {
    const admin = await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])
    const content = { title: 'Billing', redirectUris: [redirectUri], scopes: ['openid' as const] }
    const { application, secret } = await admin.api.application.create({
      ...content,
      accountId: account.id,
      kind: 'confidential',
    })
    expect(secret?.startsWith(application.secretPrefix ?? '-')).toBe(true)
    const { id, version } = application
    const stored = await app.ctx.db
      .selectFrom('applications')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(stored)).not.toContain(secret)
    const changed = await admin.api.application.update({ ...content, id, version, title: 'Invoices' })
    expect(await errorOf(admin.api.application.update({ ...content, id, version }))).toMatchObject({
      code: 'VERSION_CONFLICT',
    })
    const beside = await createAccount(app)
    const other = await createUser(app, beside, [{ roleId: await roleNamed(app, 'Account administrator') }])
    const foreign = [
      () => other.api.application.update({ ...content, id, version: changed.version }),
      () => other.api.application.rotate({ id, version: changed.version }),
      () => other.api.application.delete({ id }),
    ]
    for (const call of foreign) expect(await errorOf(call())).toMatchObject({ code: 'APPLICATION_NOT_FOUND' })
    const elsewhere = other.api.application.create({ ...content, accountId: account.id, kind: 'public' })
    expect(await errorOf(elsewhere)).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    expect((await other.api.application.list({})).total).toBe(0)
    const viewer = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    expect(await errorOf(viewer.api.application.list({}))).toMatchObject({ code: 'NO_PERMISSION' })
    await admin.api.application.delete({ id })
    const { items } = await app.api.activityLog.list({ search: 'Invoices', subject: 'Application' })
    expect(items.map(({ action }) => action)).toEqual(['delete', 'update'])
  })

  test('a public one has no secret to replace', async () => {
    const { application } = await createApplication(['openid'], { kind: 'public' })
    const { id, version } = application
    expect(await errorOf(app.api.application.rotate({ id, version }))).toMatchObject({
      code: 'APPLICATION_WITHOUT_SECRET',
    })
  })

  test.each([
    'http://app.example.org/back',
    'https://app.example.org/back#part',
    'javascript:alert(1)',
    'https://user@app.example.org/',
  ])('cannot be sent back to %s', async (uri) => {
    const content = { title: 'Odd', redirectUris: [uri], scopes: ['openid' as const] }
    const created = app.api.application.create({ ...content, accountId: account.id, kind: 'public' })
    expect(await errorOf(created)).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
  })
})

test('a second process signs with the same keys; old ones are replaced, published on, and forgotten', async () => {
  const keysOf = async (url: string) => {
    const reply = await fetch(`${url}/oauth2/jwks`)
    const { keys } = (await reply.json()) as { keys: { kid: string; d?: string }[] }
    expect(keys.every(({ d }) => d === undefined)).toBe(true)
    return keys.map(({ kid }) => kid)
  }
  const ownClock = new FakeClock()
  await using one = await startApp({ clock: ownClock })
  await using two = await startApp({ clock: ownClock, address: one.address })
  const renew = async () => {
    await one.app.provider.clean()
    for (const each of [one, two]) await each.ctx.configChanges.settle()
  }
  await renew()
  const [first] = await keysOf(one.url)
  expect(await keysOf(two.url)).toEqual([first])
  const { private_key: stored } = await one.ctx.db
    .selectFrom('oauth_keys')
    .select('private_key')
    .executeTakeFirstOrThrow()
  expect(stored).toMatch(/^sealed:/)
  ownClock.advance(120 * day)
  await renew()
  const both = await keysOf(two.url)
  expect(both).toHaveLength(2)
  expect(both[1]).toBe(first)
  expect(await keysOf(one.url)).toEqual(both)
  ownClock.advance(7 * day)
  await renew()
  expect(await keysOf(one.url)).toEqual([both[0]])
})

describe('a session is handed on', () => {
  const exchange = (code: string) => createApi(app.url).exchange.token({ exchange_code: code })

  test('with a code that works once and begins a session of its own', async () => {
    const user = await operator()
    const { exchangeCode } = await user.api.exchange.code()
    const begun = await exchange(exchangeCode)
    expect(begun).toMatchObject({ user: { id: user.id }, needsTwoFactor: false })
    expect(begun.token).not.toBe(user.token)
    expect((await createApi(app.url, begun.token).auth.verify({})).user?.id).toBe(user.id)
    expect(await errorOf(exchange(exchangeCode))).toMatchObject({ code: 'EXCHANGE_CODE_ERROR' })
    await user.api.auth.logout()
    expect((await createApi(app.url, begun.token).auth.verify({})).isAuthenticated).toBe(true)
    const { items } = await app.api.activityLog.list({ search: user.username })
    expect(items.map(({ action }) => action).slice(0, 3)).toEqual(['logout', 'login', 'handOn'])
    const codes = await app.ctx.db.selectFrom('exchange_codes').selectAll().execute()
    expect(codes).toEqual([])
  })

  test('only for a minute, only while the session lasts, and only of somebody who is active', async () => {
    const user = await operator()
    const late = await user.api.exchange.code()
    clock.advance(61_000)
    const gone = await user.api.exchange.code()
    await user.api.auth.logout()
    const again = await app.login(user.username)
    const inactive = await again.api.exchange.code()
    await app.ctx.db.updateTable('users').set({ active: false }).where('id', '=', user.id).execute()
    for (const { exchangeCode } of [late, gone, inactive, { exchangeCode: 'made up' }])
      expect(await errorOf(exchange(exchangeCode))).toMatchObject({ code: 'EXCHANGE_CODE_ERROR' })
  })

  test('not by somebody who acts as somebody else, and not by a key', async () => {
    const user = await operator()
    const { token } = await app.api.auth.impersonate({ userId: user.id })
    const eyes = createApi(app.url, token)
    expect(await errorOf(eyes.exchange.code())).toMatchObject({ code: 'AUTH_IMPERSONATING' })
    const roleId = await roleNamed(app, 'Viewer')
    const made = await app.api.apikey.create({ title: 'Program', scopeId: account.scopeId, roleId })
    const reply = await fetch(`${app.url}/api/auth/exchange-code`, {
      method: 'POST',
      headers: { 'x-api-key': made.token },
    })
    expect(await reply.json()).toMatchObject({ code: 'NO_PERMISSION' })
  })

  test('two at once: one wins', async () => {
    const { exchangeCode } = await (await operator()).api.exchange.code()
    const both = await Promise.allSettled([exchange(exchangeCode), exchange(exchangeCode)])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })
})
