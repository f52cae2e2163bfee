import { beforeAll, describe, expect, test } from 'vitest'
import {
  createAccount,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'

const clock = new FakeClock()
let app: TestApp
beforeAll(async () => {
  app = await startApp({ clock })
})

const inHours = (hours: number) => new Date(clock.now().getTime() + hours * 3_600_000).toISOString()

/** A plain request with a key, as a program sends it. */
async function call(key: string, path = '/virtualdevice', init: RequestInit = {}) {
  const response = await fetch(`${app.url}/api${path}`, {
    ...init,
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...init.headers },
  })
  const limits = ['limit', 'remaining', 'reset'].map((name) => response.headers.get(`x-ratelimit-${name}`))
  const body = (await response.json()) as Record<string, unknown>
  return { status: response.status, limits, body, retryAfter: response.headers.get('retry-after') }
}

async function accountWithAdmin() {
  const account = await createAccount(app)
  const admin = await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])
  const viewer = await roleNamed(app, 'Viewer')
  return { account, admin, input: { title: 'Weather', scopeId: account.scopeId, roleId: viewer } }
}

describe('a key', () => {
  test('is shown once, stored as a hash, and may do what its role says in its scope', async () => {
    const { admin, input, account } = await accountWithAdmin()
    const { key, token } = await admin.api.apikey.create(input)
    expect(token).toMatch(/^lsk_[\w-]{43}$/)
    expect(token.startsWith(key.prefix)).toBe(true)
    const { rows } = await app.ctx.pool.query('select * from api_keys, activities')
    expect(JSON.stringify(rows)).not.toContain(token)
    const { items } = await admin.api.apikey.list({ accountIds: [account.id] })
    expect(items).toMatchObject([{ title: 'Weather', roleName: 'Viewer', lastUsedAt: null }])

    expect(await call(token)).toMatchObject({ status: 200, body: { items: [] } })
    expect(await call(token, '/user')).toMatchObject({ status: 403, body: { code: 'NO_PERMISSION' } })
    expect(await call(token, '/auth/verify')).toMatchObject({
      body: { isAuthenticated: true, isApiKey: true, user: null, tenantId: account.id },
    })
    expect(await call(token, '/tenant/fetch/all')).toMatchObject({
      status: 200,
      body: { items: [{ id: account.id }] },
    })
    expect(await call(token, '/acl/scopes')).toMatchObject({
      status: 200,
      body: { items: [{ accountId: account.id }] },
    })
    const [used] = (await admin.api.apikey.list({})).items
    expect(used).toMatchObject({ lastUsedAt: clock.now().toISOString(), lastUsedIp: '127.0.0.1' })
  })

  test('is nobody: what belongs to a person is closed to it', async () => {
    const { admin, input } = await accountWithAdmin()
    const roleId = await roleNamed(app, 'Account administrator')
    const { token } = await admin.api.apikey.create({ ...input, roleId })
    const post = { method: 'POST', body: JSON.stringify({ ...input, roleId }) }
    for (const [path, init] of [
      ['/user/session', {}],
      ['/user/2fa', {}],
      ['/user/apiuser', post],
      ['/auth/impersonate', { method: 'POST', body: JSON.stringify({ userId: admin.id }) }],
    ] as const)
      expect(await call(token, path, init)).toMatchObject({ status: 403, body: { code: 'NO_PERMISSION' } })
  })

  test('that is wrong is refused, whatever cookie comes along', async () => {
    const reply = await call(`lsk_${'x'.repeat(43)}`, '/virtualdevice', {
      headers: { cookie: `leitstand_session=${app.token}` },
    })
    expect(reply).toMatchObject({ status: 401, body: { code: 'AUTH_TOKEN_NOT_FOUND' } })
  })

  test('has so many calls a minute and says what is left', async () => {
    const { admin, input } = await accountWithAdmin()
    const { token } = await admin.api.apikey.create({ ...input, callsPerMinute: 2 })
    expect((await call(token)).limits).toEqual(['2', '1', '60'])
    clock.advance(20_000)
    expect((await call(token)).limits).toEqual(['2', '0', '40'])
    expect(await call(token)).toMatchObject({
      status: 429,
      limits: ['2', '0', '40'],
      body: { code: 'API_LIMIT_REACHED' },
      retryAfter: '40',
    })
    clock.advance(40_000)
    expect(await call(token)).toMatchObject({ status: 200, limits: ['2', '1', '60'] })
  })

  test('gets no more than its limit when all calls come at once', async () => {
    const { admin, input } = await accountWithAdmin()
    const { token } = await admin.api.apikey.create({ ...input, callsPerMinute: 5 })
    const answers = await Promise.all(Array.from({ length: 30 }, () => call(token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  })

  test('works from its beginning to its end only', async () => {
    const { admin, input } = await accountWithAdmin()
    const { token } = await admin.api.apikey.create({
      ...input,
      validFrom: inHours(1),
      validUntil: inHours(2),
    })
    expect((await call(token)).status).toBe(401)
    clock.advance(3_600_000)
    expect((await call(token)).status).toBe(200)
    clock.advance(3_600_000)
    expect((await call(token)).status).toBe(401)
  })

  test('is replaced with an overlap, or at once', async () => {
    const { admin, input } = await accountWithAdmin()
    const first = await admin.api.apikey.create(input)
    const { id } = first.key
    const second = await admin.api.apikey.rotate({ id, version: 1, overlapHours: 1 })
    expect([(await call(first.token)).status, (await call(second.token)).status]).toEqual([200, 200])
    clock.advance(3_600_000)
    expect([(await call(first.token)).status, (await call(second.token)).status]).toEqual([401, 200])
    const third = await admin.api.apikey.rotate({ id, version: 2, overlapHours: 0 })
    expect([(await call(second.token)).status, (await call(third.token)).status]).toEqual([401, 200])
    await admin.api.apikey.delete({ id })
    expect((await call(third.token)).status).toBe(401)
  })
})

describe('what is refused', () => {
  test('limits above 100, ends before the start, versions that have moved on', async () => {
    const { admin, input } = await accountWithAdmin()
    const create = (change: object) => errorOf(admin.api.apikey.create({ ...input, ...change }))
    expect(await create({ callsPerMinute: 101 })).toMatchObject({ code: 'MAX_USER_API_TOKEN_LIMIT_TOO_HIGH' })
    expect(await create({ validFrom: inHours(1), validUntil: inHours(1) })).toMatchObject({
      code: 'INVALID_DATE_RANGE',
    })
    expect(await create({ validUntil: inHours(-1) })).toMatchObject({ code: 'END_IN_THE_PAST' })
    const { key } = await admin.api.apikey.create(input)
    const change = { ...input, id: key.id, title: 'Rain', version: 1 }
    expect(await errorOf(admin.api.apikey.update({ ...change, validUntil: inHours(-1) }))).toMatchObject({
      code: 'END_IN_THE_PAST',
    })
    expect(await admin.api.apikey.update(change)).toMatchObject({ title: 'Rain', version: 2 })
    expect(await errorOf(admin.api.apikey.update(change))).toMatchObject({ code: 'VERSION_CONFLICT' })
  })

  test('not a new title for a key that has ended', async () => {
    const { admin, input } = await accountWithAdmin()
    const validUntil = inHours(1)
    const { key } = await admin.api.apikey.create({ ...input, validUntil })
    clock.advance(7_200_000)
    const change = { ...input, validUntil: key.validUntil, id: key.id, title: 'Rain', version: 1 }
    expect(await admin.api.apikey.update(change)).toMatchObject({ title: 'Rain' })
  })

  test('keys that could do more than who makes them, and keys of others', async () => {
    const { admin, input, account } = await accountWithAdmin()
    const foreign = await accountWithAdmin()
    const superRole = await roleNamed(app, 'System administrator')
    const create = (change: object) => errorOf(admin.api.apikey.create({ ...input, ...change }))
    expect(await create({ roleId: superRole })).toMatchObject({ code: 'NO_PERMISSION' })
    expect(await create({ scopeId: foreign.account.scopeId })).toMatchObject({ code: 'SCOPE_NOT_FOUND' })
    expect(await create({ scopeId: app.rootScopeId })).toMatchObject({ code: 'SCOPE_NOT_FOUND' })

    const strong = await app.api.apikey.create({ ...input, roleId: superRole })
    const { id } = strong.key
    expect(await errorOf(admin.api.apikey.rotate({ id, version: 1 }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
    const theirs = await foreign.admin.api.apikey.create(foreign.input)
    const stolen = { id: theirs.key.id, version: 1 }
    for (const attempt of [
      () => admin.api.apikey.rotate(stolen),
      () => admin.api.apikey.delete(stolen),
      () => admin.api.apikey.update({ ...input, ...stolen }),
    ])
      expect(await errorOf(attempt())).toMatchObject({ code: 'API_KEY_NOT_FOUND' })
    const { items } = await admin.api.apikey.list({})
    expect(items.map(({ accountId }) => accountId)).toEqual([account.id])
  })
})
