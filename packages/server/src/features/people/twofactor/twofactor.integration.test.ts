import { Secret, TOTP } from 'otpauth'
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
  testPassword,
} from '../../../../test/kit.ts'
import { lockMs } from '../lockout.ts'

const clock = new FakeClock()
let app: TestApp
beforeAll(async () => {
  app = await startApp({ clock })
})

/** The current code of an authenticator app. */
const codeOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() })
const nextCode = () => clock.advance(30_000)
const signIn = (username: string, code?: string) =>
  createApi(app.url).auth.login({ username, password: testPassword, ...(code ? { code } : {}) })

async function person(account?: { id: number; scopeId: number }) {
  const of = account ?? (await createAccount(app))
  return createUser(app, of, [{ roleId: await roleNamed(app, 'Viewer') }])
}

async function personWithFactor() {
  const user = await person()
  const { secret, uri } = await user.api.twofactor.setUp({ password: testPassword })
  const { recoveryCodes } = await user.api.twofactor.enable({ code: codeOf(secret) })
  nextCode()
  return { ...user, secret, uri, recoveryCodes }
}

/** The mails a user received, in order. */
async function mailsTo(username: string): Promise<string[]> {
  const { items } = await app.api.mail.list({ limit: 1000 })
  const theirs = items.filter(({ recipients }) => recipients.includes(`${username}@example.org`))
  return theirs.map(({ subject }) => subject.replace('Leitstand: ', '')).reverse()
}

describe('a second factor', () => {
  test('its owner is told by mail of whatever happens to it, and of a code that comes twice', async () => {
    const user = await personWithFactor()
    const code = codeOf(user.secret)
    await signIn(user.username, code)
    await errorOf(signIn(user.username, code))
    const [recovery = ''] = user.recoveryCodes
    await signIn(user.username, recovery)
    nextCode()
    await user.api.twofactor.renewCodes({ code: codeOf(user.secret) })
    nextCode()
    await user.api.twofactor.disable({ code: codeOf(user.secret) })
    expect(await mailsTo(user.username)).toEqual([
      'zweiter Faktor aktiviert',
      'ein Code kam zweimal',
      'Wiederherstellungscode verwendet',
      'neue Wiederherstellungscodes',
      'zweiter Faktor deaktiviert',
    ])
    const { items } = await app.api.activityLog.list({ search: user.username, action: 'codeUsedTwice' })
    expect(items).toMatchObject([{ ip: '127.0.0.1', objectId: user.id }])
  })

  test('is asked for once it is set up, and takes the codes of an authenticator app', async () => {
    const user = await personWithFactor()
    expect(user.uri).toMatch(/^otpauth:\/\/totp\/Leitstand:user\d+\?.*secret=[A-Z2-7]{32}/)
    expect(await errorOf(signIn(user.username))).toMatchObject({ code: '2FA_TOKEN_REQUIRED', status: 401 })
    expect(await errorOf(signIn(user.username, '000000'))).toMatchObject({ code: '2FA_TOKEN_FAILURE' })
    await app.drain()
    expect((await app.api.failedSignIn.list({ search: user.username })).items).toMatchObject([
      { reason: 'factor', times: 1, user: { id: user.id } },
    ])
    const { token } = await signIn(user.username, codeOf(user.secret))
    expect((await createApi(app.url, token).twofactor.status()).enabled).toBe(true)
  })

  test('does not count before a code of it was seen', async () => {
    const user = await person()
    expect(await errorOf(user.api.twofactor.enable({ code: '123456' }))).toMatchObject({
      code: '2FA_NOT_SET_UP',
    })
    const { secret } = await user.api.twofactor.setUp({ password: testPassword })
    const wrong = codeOf(secret) === '000000' ? '000001' : '000000'
    expect(await errorOf(user.api.twofactor.enable({ code: wrong }))).toMatchObject({
      code: '2FA_TOKEN_FAILURE',
    })
    await signIn(user.username)
  })

  test('takes no code twice, nor an older one after a newer one', async () => {
    const { username, secret } = await personWithFactor()
    const old = codeOf(secret)
    nextCode()
    const code = codeOf(secret)
    await signIn(username, code)
    for (const used of [code, old])
      expect(await errorOf(signIn(username, used))).toMatchObject({ code: '2FA_TOKEN_FAILURE' })
    nextCode()
    await signIn(username, codeOf(secret))
  })

  test('one code sent many times at once signs in once', async () => {
    const { username, secret } = await personWithFactor()
    const code = codeOf(secret)
    const answers = await Promise.allSettled([signIn(username, code), signIn(username, code)])
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('guessing locks the user, though the password is right each time', async () => {
    const { username, secret } = await personWithFactor()
    const right = codeOf(secret)
    const wrong = right === '111111' ? '222222' : '111111'
    for (let i = 0; i < 5; i++) {
      expect(await errorOf(signIn(username))).toMatchObject({ code: '2FA_TOKEN_REQUIRED' })
      expect(await errorOf(signIn(username, wrong))).toMatchObject({ code: '2FA_TOKEN_FAILURE' })
    }
    expect(await errorOf(signIn(username, right))).toMatchObject({
      code: 'AUTH_LOGIN_TOO_MANY_WRONG_REQUESTS',
    })
    clock.advance(lockMs)
    await signIn(username, codeOf(secret))
  })

  test('ends what was signed in with the password alone, and leaves entries without secrets', async () => {
    const user = await person()
    const other = await signIn(user.username)
    const { secret } = await user.api.twofactor.setUp({ password: testPassword })
    const { recoveryCodes } = await user.api.twofactor.enable({ code: codeOf(secret) })
    expect((await createApi(app.url, other.token).auth.verify({})).isAuthenticated).toBe(false)
    expect((await user.api.auth.verify({})).isAuthenticated).toBe(true)
    const { items } = await app.api.activityLog.list({ search: user.username })
    expect(items[0]).toMatchObject({ action: 'enableTwoFactor', userName: user.username })
    const { rows } = await app.ctx.pool.query('select * from second_factors, recovery_codes, activities')
    for (const hidden of [secret, ...recoveryCodes]) expect(JSON.stringify(rows)).not.toContain(hidden)
  })

  test('needs the password to be set up and a code to be removed; guesses at both are counted', async () => {
    const user = await person()
    expect(await errorOf(user.api.twofactor.setUp({ password: 'wrong' }))).toMatchObject({
      code: 'AUTH_LOGIN_PASSWORD_MISMATCH',
    })
    const { secret } = await user.api.twofactor.setUp({ password: testPassword })
    await user.api.twofactor.enable({ code: codeOf(secret) })
    expect(await errorOf(user.api.twofactor.setUp({ password: testPassword }))).toMatchObject({
      code: '2FA_ENABLED_ALREADY',
    })
    nextCode()
    for (let i = 0; i < 4; i++)
      expect(await errorOf(user.api.twofactor.disable({ code: 'aaaaa-aaaaa' }))).toMatchObject({
        code: '2FA_TOKEN_FAILURE',
      })
    expect(await errorOf(user.api.twofactor.disable({ code: codeOf(secret) }))).toMatchObject({
      code: 'AUTH_LOGIN_TOO_MANY_WRONG_REQUESTS',
    })
    clock.advance(lockMs)
    await user.api.twofactor.disable({ code: codeOf(secret) })
    await signIn(user.username)
  })
})

describe('recovery codes', () => {
  test('work once each, however they are typed, and new ones replace them', async () => {
    const user = await personWithFactor()
    const [first = '', second = '', third = ''] = user.recoveryCodes
    expect(new Set(user.recoveryCodes).size).toBe(10)
    await signIn(user.username, first.toUpperCase())
    expect(await errorOf(signIn(user.username, first))).toMatchObject({ code: '2FA_TOKEN_FAILURE' })
    await signIn(user.username, ` ${second.replace('-', ' ')} `)
    expect((await user.api.twofactor.status()).recoveryCodesLeft).toBe(8)
    await user.api.twofactor.renewCodes({ code: codeOf(user.secret) })
    expect(await errorOf(signIn(user.username, third))).toMatchObject({ code: '2FA_TOKEN_FAILURE' })
  })

  test('of one user are nothing to another', async () => {
    const [one, other] = [await personWithFactor(), await personWithFactor()]
    expect(await errorOf(signIn(one.username, other.recoveryCodes[0]))).toMatchObject({
      code: '2FA_TOKEN_FAILURE',
    })
  })
})

describe('a lost second factor', () => {
  test('is removed by an administrator who may do as much, and by nobody else', async () => {
    const account = await createAccount(app)
    const role = async (name: string) => [{ roleId: await roleNamed(app, name) }]
    const admin = await createUser(app, account, await role('Account administrator'))
    const strong = await createUser(app, account, await role('System administrator'))
    const user = await person(account)
    const foreign = await personWithFactor()
    for (const each of [user, strong]) {
      const { secret } = await each.api.twofactor.setUp({ password: testPassword })
      await each.api.twofactor.enable({ code: codeOf(secret) })
    }
    const reset = (id: number) => admin.api.twofactor.reset({ id })
    expect(await errorOf(reset(strong.id))).toMatchObject({ code: 'NO_PERMISSION' })
    expect(await errorOf(reset(foreign.id))).toMatchObject({ code: 'USER_NOT_FOUND' })
    await reset(user.id)
    expect((await user.api.auth.verify({})).isAuthenticated).toBe(false)
    await signIn(user.username)
    expect(await errorOf(reset(user.id))).toMatchObject({ code: '2FA_NOT_SET_UP' })
  })
})

describe('an account that demands a second factor', () => {
  test('lets its users, and those of accounts below, set one up and nothing else', async () => {
    const parent = await createAccount(app)
    const child = await createAccount(app, { parent })
    const user = await person(child)
    const stranger = await person()
    const { version } = await app.api.twofactor.ofAccount({ id: parent.id })
    await app.api.twofactor.demand({ id: parent.id, version, required: true })
    expect(await app.api.twofactor.ofAccount({ id: child.id })).toMatchObject({
      required: false,
      inherited: true,
    })
    expect(await user.api.auth.verify({})).toMatchObject({ isAuthenticated: true, needsTwoFactor: true })
    for (const call of [user.api.favorite.list(), user.api.tenant.fetchAll(), user.api.session.list({})])
      expect(await errorOf(call)).toMatchObject({ code: '2FA_SETUP_REQUIRED', status: 403 })
    expect((await stranger.api.auth.verify({})).needsTwoFactor).toBe(false)

    const { secret } = await user.api.twofactor.setUp({ password: testPassword })
    await user.api.twofactor.enable({ code: codeOf(secret) })
    expect((await user.api.tenant.fetchAll()).items.map(({ id }) => id)).toEqual([child.id])
    nextCode()
    expect(await errorOf(user.api.twofactor.disable({ code: codeOf(secret) }))).toMatchObject({
      code: '2FA_DEMANDED',
    })
  })

  test('is changed by its managers only, and not over a newer version', async () => {
    const account = await createAccount(app)
    const sibling = await createAccount(app)
    const admin = await createUser(app, sibling, [{ roleId: await roleNamed(app, 'Account administrator') }])
    const viewer = await person(account)
    const change = { id: account.id, version: 1, required: true }
    expect(await errorOf(admin.api.twofactor.demand(change))).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    expect(await errorOf(viewer.api.twofactor.demand(change))).toMatchObject({ code: 'NO_PERMISSION' })
    await app.api.twofactor.demand(change)
    expect(await errorOf(app.api.twofactor.demand(change))).toMatchObject({ code: 'VERSION_CONFLICT' })
  })
})
