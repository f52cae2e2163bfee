import type { AccessRule } from '@leitstand/contract/permissions'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openBrowser, refusal } from '../../test/browser.ts'

const browser = openBrowser()
const { queryClient, setToken, tokenStore } = await import('./api.ts')
const {
  confirmSignOn,
  csvRowsAllowed,
  ensureSession,
  impersonate,
  login,
  logout,
  onSignIn,
  replaceToken,
  restoreSelf,
  saveProperties,
  saveUserDefaults,
  sessionCan,
  sessionMeets,
  sessionStore,
  verifySession,
} = await import('./session.ts')

const user = (change: object = {}) => ({
  id: 7,
  username: 'mmueller',
  email: 'm.mueller@example.org',
  firstName: 'Märta',
  lastName: 'Müller',
  accountId: 1,
  properties: {},
  ...change,
})
const access = {
  primaryScopeIds: [1],
  primaryTenantIds: [1],
  permissions: ['VirtualDevice.read', 'Dashboards.write'],
  allManageTenantIds: [],
}
const verified = (change: object = {}) => ({
  isAuthenticated: true,
  user: user(),
  token: null,
  tenantId: 1,
  access,
  impersonator: null,
  looking: false,
  isApiKey: false,
  needsTwoFactor: false,
  needsConsent: false,
  csvRowsMax: null,
  featureFlags: { flags: { hideIotHub: true } },
  ...change,
})
const nobody = verified({ isAuthenticated: false, user: null, access: null })
const verifying = () => browser.calls.filter(({ route }) => route === 'GET /auth/verify').length

async function signIn(change: object = {}): Promise<void> {
  setToken('own')
  browser.answer('GET /auth/verify', verified(change))
  await verifySession()
  browser.calls.length = 0
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 20, 12) })
})
afterEach(async () => {
  browser.answer('GET /auth/logout', {})
  await logout()
  vi.useRealTimers()
})

describe('reading the session', () => {
  test('makes the tab that of the user, with permissions and flags', async () => {
    await signIn({ csvRowsMax: 500, needsConsent: true })
    expect(sessionStore.get()).toMatchObject({
      status: 'user',
      user: { id: 7, firstName: 'Märta' },
      flags: { hideIotHub: true },
      needsConsent: true,
      needsTwoFactor: false,
      csvRowsMax: 500,
    })
  })

  test('uses the token that replaces the old one', async () => {
    await signIn({ token: 'newer' })
    expect(tokenStore.get()).toBe('newer')
    expect(browser.local.getItem('leitstand.token')).toBe('newer')
  })

  test('names the console that asks, so that the account of the domain is known', async () => {
    browser.answer('GET /auth/verify', nobody)
    await verifySession()
    expect(browser.calls[0]?.query).toEqual({ domain: 'console.test' })
  })

  test('several callers at once share one request', async () => {
    browser.answer('GET /auth/verify', verified())
    await Promise.all([verifySession(), verifySession(), verifySession()])
    expect(verifying()).toBe(1)
    await verifySession()
    expect(verifying()).toBe(2)
  })

  test('of nobody leaves no token and no data of the last user', async () => {
    await signIn()
    queryClient.setQueryData(['devices'], ['secret'])
    browser.answer('GET /auth/verify', nobody)
    await verifySession()
    expect(sessionStore.get()).toEqual({ status: 'guest' })
    expect(tokenStore.get()).toBeNull()
    expect(browser.local.getItem('leitstand.token')).toBeNull()
    expect(queryClient.getQueryData(['devices'])).toBeUndefined()
  })

  test('takes the token that another tab has stored in the meantime', async () => {
    await signIn()
    browser.local.setItem('leitstand.token', 'of the other tab')
    await verifySession()
    expect(browser.calls[0]?.token).toBe('of the other tab')
  })
})

describe('a server that does not answer', () => {
  test.each([
    ['no network', () => browser.disconnect('GET /auth/verify')],
    ['a busy server', () => browser.answer('GET /auth/verify', () => refusal(503, 'BUSY'))],
    [
      'a gateway in between',
      () => browser.answer('GET /auth/verify', () => new Response('Bad gateway', { status: 502 })),
    ],
  ])('%s keeps the user signed in for a while', async (_name, fail) => {
    await signIn()
    fail()
    vi.advanceTimersByTime(29 * 60_000)
    await verifySession()
    expect(sessionStore.get().status).toBe('user')
  })

  test('after half an hour nobody is signed in, but the token is kept for the next try', async () => {
    await signIn()
    browser.disconnect('GET /auth/verify')
    vi.advanceTimersByTime(31 * 60_000)
    await verifySession()
    expect(sessionStore.get()).toEqual({ status: 'guest' })
    expect(tokenStore.get()).toBe('own')
    browser.answer('GET /auth/verify', verified())
    await verifySession()
    expect(sessionStore.get().status).toBe('user')
  })

  test.each([401, 403])('a session refused with %d is over at once', async (status) => {
    await signIn()
    browser.answer('GET /auth/verify', () => refusal(status, 'FORBIDDEN'))
    await verifySession()
    expect(sessionStore.get()).toEqual({ status: 'guest' })
    expect(tokenStore.get()).toBeNull()
  })
})

describe('a protected navigation', () => {
  test('does not wait for the server while the session was just confirmed', async () => {
    await signIn()
    vi.advanceTimersByTime(29_000)
    await ensureSession()
    expect(verifying()).toBe(0)
  })

  test('asks again later', async () => {
    await signIn()
    vi.advanceTimersByTime(31_000)
    await ensureSession()
    expect(verifying()).toBe(1)
  })

  test('of a guest always asks', async () => {
    browser.answer('GET /auth/verify', nobody)
    await ensureSession()
    await ensureSession()
    expect(verifying()).toBe(2)
  })
})

describe('signing in', () => {
  const reply = {
    token: 'fresh',
    expiresAt: '2026-12-01T00:00:00Z',
    user: user(),
    access,
    needsTwoFactor: true,
  }

  test('sends a code only if there is one', async () => {
    browser.answer('POST /auth/login', reply)
    browser.answer('GET /auth/verify', verified())
    await login('mmueller', 'geheim', '')
    await login('mmueller', 'geheim', '123456')
    const sent = browser.calls.filter(({ route }) => route === 'POST /auth/login').map(({ body }) => body)
    expect(sent).toEqual([
      { username: 'mmueller', password: 'geheim' },
      { username: 'mmueller', password: 'geheim', code: '123456' },
    ])
  })

  test('succeeds even if the first reading of the session fails', async () => {
    browser.answer('POST /auth/login', reply)
    await login('mmueller', 'geheim')
    expect(sessionStore.get()).toMatchObject({ status: 'user', user: { id: 7 }, needsTwoFactor: true })
    expect(tokenStore.get()).toBe('fresh')
  })

  test('throws the reason and changes nothing if it is refused', async () => {
    browser.answer('POST /auth/login', () => refusal(401, 'LOGIN_FAILED'))
    await expect(login('mmueller', 'falsch')).rejects.toMatchObject({ code: 'LOGIN_FAILED', status: 401 })
    expect(tokenStore.get()).toBeNull()
    expect(sessionStore.get().status).toBe('guest')
  })

  test('forgets what was read before', async () => {
    queryClient.setQueryData(['domain'], 'public')
    browser.answer('POST /auth/login', reply)
    browser.answer('GET /auth/verify', verified())
    await login('mmueller', 'geheim')
    expect(queryClient.getQueryData(['domain'])).toBeUndefined()
  })

  test('by single sign-on ends with the code of the second factor', async () => {
    browser.answer('POST /auth/sso/confirm', { token: 'confirmed' })
    browser.answer('GET /auth/verify', verified())
    await confirmSignOn('654321')
    expect(browser.calls[0]?.body).toEqual({ code: '654321' })
    expect(tokenStore.get()).toBe('confirmed')
    expect(sessionStore.get().status).toBe('user')
  })

  test('is announced once per user, until the listener leaves', async () => {
    const heard: string[] = []
    const leave = onSignIn(({ username }) => heard.push(username))
    await signIn()
    await verifySession()
    expect(heard).toEqual(['mmueller'])
    leave()
    browser.answer('GET /auth/logout', {})
    await logout()
    await signIn()
    expect(heard).toEqual(['mmueller'])
  })
})

describe('signing out', () => {
  test('ends the session here even if the server is unreachable', async () => {
    await signIn()
    vi.spyOn(console, 'warn').mockImplementationOnce(() => undefined)
    browser.disconnect('GET /auth/logout')
    await logout()
    expect(sessionStore.get()).toEqual({ status: 'guest' })
    expect(tokenStore.get()).toBeNull()
  })

  test('leaves nothing of the user in the browser', async () => {
    await signIn()
    browser.local.setItem('leitstand.recent', '[{"title":"Tresorraum"}]')
    browser.session.setItem('leitstand.language', 'en')
    browser.answer('GET /auth/logout', {})
    await logout()
    expect([...browser.local.kept, ...browser.session.kept]).toEqual([])
  })

  test('works where nothing can be stored', async () => {
    await signIn()
    browser.local.isBlocked = true
    browser.answer('GET /auth/logout', {})
    await logout()
    expect(sessionStore.get()).toEqual({ status: 'guest' })
  })
})

describe('other tabs', () => {
  const stored = (key: string, newValue: string | null) =>
    browser.window.dispatchEvent(Object.assign(new Event('storage'), { key, newValue }))

  test('a sign-out there signs out here', async () => {
    await signIn()
    stored('leitstand.token', null)
    expect(sessionStore.get()).toEqual({ status: 'guest' })
  })

  test('another value of the browser changes nothing', async () => {
    await signIn()
    stored('leitstand.language', null)
    expect(sessionStore.get().status).toBe('user')
  })

  test('a sign-in there is taken over', async () => {
    browser.answer('GET /auth/verify', verified())
    stored('leitstand.token', 'of the other tab')
    await vi.waitFor(() => expect(sessionStore.get().status).toBe('user'), 60_000)
    expect(browser.calls[0]?.token).toBe('of the other tab')
  })

  test('another user there reloads the page, so that no data of the first one stays', async () => {
    await signIn()
    await signIn({ user: user({ id: 8 }) })
    expect(browser.reload).toHaveBeenCalledOnce()
  })

  test('the same user does not', async () => {
    await signIn()
    await signIn()
    expect(browser.reload).not.toHaveBeenCalled()
  })
})

describe('a call that the server no longer accepts', () => {
  test('ends the session', async () => {
    await signIn()
    browser.answer('PUT /user/properties', () => refusal(401, 'AUTH_TOKEN_NOT_FOUND'))
    browser.answer('GET /auth/verify', () => refusal(401, 'AUTH_TOKEN_NOT_FOUND'))
    await expect(saveUserDefaults({ drawer: true })).rejects.toThrow()
    await vi.waitFor(() => expect(sessionStore.get()).toEqual({ status: 'guest' }), 60_000)
    expect(verifying()).toBe(1)
  })

  test('but not one that lacks a permission', async () => {
    await signIn()
    browser.answer('PUT /user/properties', () => refusal(403, 'FORBIDDEN'))
    await expect(saveUserDefaults({ drawer: true })).rejects.toThrow()
    expect(sessionStore.get().status).toBe('user')
  })
})

describe('replacing the token', () => {
  test('a reading of the session waits for the new one', async () => {
    await signIn()
    let finish = (_: { token: string }) => {}
    const replaced = replaceToken(() => new Promise((resolve) => (finish = resolve)))
    const read = verifySession()
    expect(verifying()).toBe(0)
    finish({ token: 'replaced' })
    await Promise.all([replaced, read])
    expect(browser.calls[0]?.token).toBe('replaced')
  })

  test('that fails throws, keeps the old token and blocks nothing', async () => {
    await signIn()
    await expect(replaceToken(() => Promise.reject(new Error('wrong password')))).rejects.toThrow('wrong')
    expect(tokenStore.get()).toBe('own')
    await verifySession()
    expect(verifying()).toBe(1)
  })
})

describe('acting as another user', () => {
  class Addresses {
    replaceState(_state: unknown, _title: string, url: string): void {
      browser.location.hash = url
    }
  }
  beforeEach(() => {
    vi.stubGlobal('History', Addresses)
    vi.stubGlobal('history', new Addresses())
  })

  test('starts on the home page with the token of that user, and remembers the own one', async () => {
    await signIn()
    browser.answer('POST /auth/impersonate', {
      user: user({ id: 9 }),
      access,
      token: 'theirs',
      originalToken: 'own',
    })
    await impersonate(9)
    expect(browser.calls[0]?.body).toEqual({ userId: 9 })
    expect(tokenStore.get()).toBe('theirs')
    expect(browser.local.getItem('leitstand.original')).toBe('own')
    expect(browser.location.hash).toBe('#/home')
    expect(browser.reload).toHaveBeenCalledOnce()
  })

  test('ends with the own token, which is then forgotten', async () => {
    await signIn()
    browser.local.setItem('leitstand.original', 'own')
    browser.answer('POST /auth/restore', { user: user(), access, token: 'own again' })
    await restoreSelf()
    expect(browser.calls[0]?.body).toEqual({ originalToken: 'own' })
    expect(tokenStore.get()).toBe('own again')
    expect(browser.local.getItem('leitstand.original')).toBeNull()
  })

  test('a call refused before the own token is back does not sign out', async () => {
    await signIn()
    let restored = (_: Response) => {}
    browser.answer('POST /auth/restore', () => new Promise((resolve) => (restored = resolve)))
    const ended = restoreSelf()
    browser.answer('PUT /user/properties', () => refusal(401, 'AUTH_TOKEN_NOT_FOUND'))
    await expect(saveUserDefaults({ drawer: true })).rejects.toThrow()
    expect(sessionStore.get().status).toBe('user')
    restored(Response.json({ user: user(), access, token: 'own again' }))
    await ended
    await verifySession()
    expect(sessionStore.get().status).toBe('user')
    expect(browser.calls.at(-1)?.token).toBe('own again')
  })

  test('where nothing is stored, the cookie has the own token', async () => {
    await signIn()
    browser.answer('POST /auth/restore', { user: user(), access, token: 'own again' })
    await restoreSelf()
    expect(browser.calls[0]?.body ?? {}).toEqual({})
  })
})

describe('properties of the user', () => {
  const stored = () => browser.calls.map(({ body }) => (body as { properties: object }).properties)

  test('change at once and are stored whole', async () => {
    await signIn({ user: user({ properties: { badge: '12', userDefaults: { color: 'blue' } } }) })
    browser.answer('PUT /user/properties', {})
    const saved = saveUserDefaults({ pagination: 50 })
    const properties = { badge: '12', userDefaults: { color: 'blue', pagination: 50 } }
    expect(sessionStore.get()).toMatchObject({ user: { properties } })
    await saved
    expect(stored()).toEqual([properties])
  })

  test('two changes at once are stored one after the other, and none is lost', async () => {
    await signIn()
    browser.answer('PUT /user/properties', {})
    await Promise.all([saveUserDefaults({ language: 'en' }), saveUserDefaults({ drawer: false })])
    expect(stored()).toEqual([
      { userDefaults: { language: 'en' } },
      { userDefaults: { language: 'en', drawer: false } },
    ])
  })

  test('a change that was not stored is reported, and does not stop the next one', async () => {
    await signIn()
    browser.answer('PUT /user/properties', () => refusal(500, 'INTERNAL'))
    await expect(saveUserDefaults({ drawer: true })).rejects.toMatchObject({ status: 500 })
    browser.answer('PUT /user/properties', {})
    await saveUserDefaults({ miniVariant: true })
    expect(stored().at(-1)).toEqual({ userDefaults: { drawer: true, miniVariant: true } })
  })

  test('of a guest are not sent', async () => {
    browser.answer('GET /auth/verify', nobody)
    await verifySession()
    browser.calls.length = 0
    await saveProperties((before) => ({ ...before, columns: { devices: ['title'] } }))
    expect(browser.calls).toEqual([])
  })
})

describe('permissions', () => {
  const rule = (...names: [string, string][]) =>
    ({ any: names.map(([subject, action]) => ({ subject, action })) }) as AccessRule

  test.each([
    ['VirtualDevice', 'read', true],
    ['VirtualDevice', 'manage', false],
    ['Dashboards', 'write', true],
    ['Dashboards', 'read', false],
    ['all', 'manage', false],
  ] as const)('the user may %s %s: %s', async (subject, action, allowed) => {
    await signIn()
    expect(sessionCan(sessionStore.get(), subject, action)).toBe(allowed)
  })

  test.each<[AccessRule, boolean, boolean]>([
    ['public', true, true],
    ['session', true, false],
    [rule(['VirtualDevice', 'read']), true, false],
    [rule(['all', 'manage'], ['Dashboards', 'write']), true, false],
    [rule(['all', 'manage']), false, false],
  ])('%j is met by the user: %s, by a guest: %s', async (wanted, byUser, byGuest) => {
    await signIn()
    expect(sessionMeets(sessionStore.get(), wanted)).toBe(byUser)
    expect(sessionMeets({ status: 'guest' }, wanted)).toBe(byGuest)
    expect(sessionMeets({ status: 'unknown' }, wanted)).toBe(byGuest)
  })
})

describe('rows of a CSV file', () => {
  test.each([
    [null, 10_000, 10_000],
    [500, 10_000, 500],
    [500, 100, 100],
    [0, 100, 0],
  ])('a limit of %j of %d wanted allows %d', async (csvRowsMax, wanted, rows) => {
    await signIn({ csvRowsMax })
    expect(csvRowsAllowed(wanted)).toBe(rows)
  })
})
