import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
import { startSmtp, type TestSmtp } from '../../../../test/smtp.ts'
import { rotateAfterMs, rotationGraceMs } from '../sessions.ts'
import { tokenLastsMs } from './tokens.ts'

const clock = new FakeClock()
const newPassword = 'entirely different words'
let smtp: TestSmtp
let app: TestApp
beforeAll(async () => {
  smtp = await startSmtp()
  app = await startApp({ clock, config: { smtpUrl: smtp.url } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

const anyone = () => createApi(app.url)

async function person(account?: { id: number; scopeId: number }) {
  const of = account ?? (await createAccount(app))
  return createUser(app, of, [{ roleId: await roleNamed(app, 'Viewer') }])
}

const mailsTo = (username: string) =>
  smtp.received.filter(({ to }) => to?.some(({ address }) => address === `${username}@example.org`))

/** Requests a link and returns its token from the mail. */
async function linkFor(username: string): Promise<string> {
  await anyone().password.forgot({ email: `${username}@example.org` })
  await app.drain()
  const links = mailsTo(username).map(
    ({ text }) => /#\/change-password\?token=([\w-]{43})/.exec(text ?? '')?.[1],
  )
  const token = links.findLast((link) => link !== undefined)
  if (!token) throw new Error('no link came')
  return token
}

const links = new Map<string, string>()
/** Reuses the same link, because links are rate-limited. */
async function linkOnce(username: string): Promise<string> {
  const link = links.get(username) ?? (await linkFor(username))
  links.set(username, link)
  return link
}

describe('a forgotten password', () => {
  test('is replaced with the link of a mail, which works once and ends all sessions', async () => {
    const user = await person()
    const token = await linkFor(user.username)
    expect(await anyone().password.policy({ token })).toMatchObject({ minLength: 8 })
    await anyone().password.reset({ token, password: newPassword })
    expect((await user.api.auth.verify({})).isAuthenticated).toBe(false)
    expect(await errorOf(app.login(user.username))).toMatchObject({ code: 'AUTH_LOGIN_PASSWORD_MISMATCH' })
    await app.login(user.username, newPassword)
    const again = anyone().password.reset({ token, password: 'another good one' })
    expect(await errorOf(again)).toMatchObject({ code: 'RESET_TOKEN_ERROR', status: 400 })
    await app.drain()
    expect(mailsTo(user.username).at(-1)?.subject).toBe('Leitstand: Ihr Passwort wurde geändert')
  })

  test('lifts a lock', async () => {
    const user = await person()
    for (let i = 0; i < 5; i++) await errorOf(app.login(user.username, 'wrong'))
    await anyone().password.reset({ token: await linkFor(user.username), password: newPassword })
    await app.login(user.username, newPassword)
  })

  test('a link is used by one of two who come at once', async () => {
    const token = await linkFor((await person()).username)
    const answers = await Promise.allSettled(
      ['first new password', 'second new password'].map((password) =>
        anyone().password.reset({ token, password }),
      ),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('a link ends after an hour, and with a newer password', async () => {
    const user = await person()
    const late = await linkFor(user.username)
    clock.advance(tokenLastsMs.reset)
    expect(await errorOf(anyone().password.policy({ token: late }))).toMatchObject({
      code: 'RESET_TOKEN_ERROR',
    })
    const [one, other] = [await linkFor(user.username), await linkFor(user.username)]
    await anyone().password.reset({ token: one, password: newPassword })
    const reset = anyone().password.reset({ token: other, password: 'another good one' })
    expect(await errorOf(reset)).toMatchObject({ code: 'RESET_TOKEN_ERROR' })
  })

  test('nobody learns whether an address exists, and no mailbox is flooded', async () => {
    const user = await person()
    await app.drain()
    const before = smtp.received.length
    const answers = []
    for (const email of ['nobody@example.org', ...Array(6).fill(`${user.username}@example.org`)])
      answers.push(await anyone().password.forgot({ email }))
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(new Set(['{"ok":true}']))
    await app.drain()
    expect(smtp.received.length - before).toBe(3)
    expect(mailsTo(user.username)).toHaveLength(3)
  })

  test('a deactivated user gets no mail, and an old link is of no use', async () => {
    const user = await person()
    const token = await linkFor(user.username)
    await app.ctx.db.updateTable('users').set({ active: false }).where('id', '=', user.id).execute()
    const reset = anyone().password.reset({ token, password: newPassword })
    expect(await errorOf(reset)).toMatchObject({ code: 'RESET_TOKEN_ERROR' })
    const before = smtp.received.length
    await anyone().password.forgot({ email: `${user.username}@example.org` })
    await app.drain()
    expect(smtp.received.length).toBe(before)
  })

  test('the link is stored encrypted, and shown to nobody who lists mails', async () => {
    const account = await createAccount(app)
    const user = await person(account)
    const admin = await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])
    const token = await linkFor(user.username)
    const { rows } = await app.ctx.pool.query('select * from mails, password_tokens')
    expect(JSON.stringify(rows)).not.toContain(token)
    for (const { api } of [admin, app]) {
      const { items } = await api.mail.list({ limit: 1 })
      expect(items[0]?.body).toContain('•••')
      expect(JSON.stringify(items)).not.toContain(token)
    }
  })
})

describe('a new password', () => {
  const strict = { minLength: 12, upperAndLower: true, numbers: true, special: true }
  test.each([
    ['', 'USER_PASSWORD_REQUIRED'],
    ['Short1!', 'USER_PASSWORD_MINLENGTH'],
    ['alllowercase1!', 'USER_PASSWORD_UPPERANDLOWERCASE'],
    ['NoDigitsHere!!', 'USER_PASSWORD_NUMBERS'],
    ['NoSpecials12345', 'USER_PASSWORD_SPECIALCHARACTERS'],
  ])('%j lacks %s of what a parent account demands, and the link stays good', async (password, code) => {
    const parent = await createAccount(app)
    const user = await person(await createAccount(app, { parent }))
    await app.ctx.pool.query('update accounts set password_policy = $1 where id = $2', [
      JSON.stringify(strict),
      parent.id,
    ])
    const token = await linkFor(user.username)
    const own = [user.username, `${user.username}@example.org`, expect.stringMatching(/^Account \d+$/)]
    expect(await anyone().password.policy({ token })).toEqual({ ...strict, own })
    expect(await errorOf(anyone().password.reset({ token, password }))).toMatchObject({ code, status: 422 })
    await anyone().password.reset({ token, password: 'All of it, 4 sure!' })
  })

  test('is none that everybody tries first, and none made of the own name', async () => {
    const user = await person()
    const change = (password: string) =>
      errorOf(user.api.password.change({ oldPassword: testPassword, newPassword: password }))
    for (const password of ['Passw0rt123!', `${user.username}${user.username}`])
      expect(await change(password)).toMatchObject({ code: 'USER_PASSWORD_COMMON', status: 422 })
    const token = await linkFor(user.username)
    const reset = anyone().password.reset({ token, password: 'qwertz12345' })
    expect(await errorOf(reset)).toMatchObject({ code: 'USER_PASSWORD_COMMON' })
  })

  test('is not the own user name, however short its parts, nor the account', async () => {
    const account = await createAccount(app, { name: 'Wasserwerk Nord' })
    const roleId = await roleNamed(app, 'Viewer')
    const user = await createUser(app, account, [{ roleId }], { username: 'kx7-tt9-qv' })
    for (const password of ['kx7-tt9-qv', 'KX7TT9QV', 'vq-9tt-7xk', 'kx7-tt9-qv2026', 'WasserwerkNord!']) {
      const change = user.api.password.change({ oldPassword: testPassword, newPassword: password })
      expect(await errorOf(change)).toMatchObject({ code: 'USER_PASSWORD_COMMON', status: 422 })
      const reset = anyone().password.reset({ token: await linkOnce(user.username), password })
      expect(await errorOf(reset)).toMatchObject({ code: 'USER_PASSWORD_COMMON', status: 422 })
    }
    expect((await anyone().password.policy({})).own).toEqual([])
  })

  test('of the first administrator is held to the same', async () => {
    const attempt = (ADMIN_PASSWORD: string) => startApp({ config: { adminPassword: ADMIN_PASSWORD } })
    for (const password of ['admin@localhost', 'Password1', 'leitstand2026'])
      await expect(attempt(password)).rejects.toThrow('ADMIN_PASSWORD')
  })

  test('may have 128 characters, spaces and any letters, and counts to the last of them', async () => {
    const user = await person()
    const long = `🐘 ${'ä'.repeat(120)} 4567`
    const { token } = await user.api.password.change({ oldPassword: testPassword, newPassword: long })
    await app.login(user.username, long)
    expect(await errorOf(app.login(user.username, `${long.slice(0, -1)}8`))).toMatchObject({
      code: 'AUTH_LOGIN_PASSWORD_MISMATCH',
    })
    const more = createApi(app.url, token).password.change({
      oldPassword: long,
      newPassword: 'x'.repeat(129),
    })
    expect(await errorOf(more)).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
  })

  test('differs from the old one and needs it; other sessions end, this one goes on with a new token', async () => {
    const user = await person()
    const other = await app.login(user.username)
    const change = (oldPassword: string, password: string) =>
      user.api.password.change({ oldPassword, newPassword: password })
    expect(await errorOf(change('wrong', newPassword))).toMatchObject({
      code: 'AUTH_LOGIN_PASSWORD_MISMATCH',
    })
    expect(await errorOf(change(testPassword, testPassword))).toMatchObject({
      code: 'USER_PASSWORD_UNCHANGED',
    })
    expect(await errorOf(change(testPassword, 'short'))).toMatchObject({ code: 'USER_PASSWORD_MINLENGTH' })
    const { token } = await change(testPassword, newPassword)
    expect((await other.api.auth.verify({})).isAuthenticated).toBe(false)
    expect((await user.api.auth.verify({})).isAuthenticated).toBe(false)
    expect((await createApi(app.url, token).auth.verify({})).isAuthenticated).toBe(true)
  })
})

describe('sessions', () => {
  test('are listed with device and last use, and end one by one or all but this one', async () => {
    const user = await person()
    const others = [await app.login(user.username), await app.login(user.username)]
    const { items, total } = await user.api.session.list({})
    expect(total).toBe(3)
    expect(items.filter(({ current }) => current)).toHaveLength(1)
    const first = items.find(({ current }) => !current)
    await user.api.session.end({ id: first?.id ?? 0 })
    expect((await user.api.session.list({})).total).toBe(2)
    expect(await user.api.session.endOthers()).toEqual({ ended: 1 })
    for (const { api } of others) expect((await api.auth.verify({})).isAuthenticated).toBe(false)
    expect((await user.api.auth.verify({})).isAuthenticated).toBe(true)
  })

  test('of others cannot be ended, not even by guessing their number', async () => {
    const [user, other] = [await person(), await person()]
    const [theirs] = (await other.api.session.list({})).items
    expect(await errorOf(user.api.session.end({ id: theirs?.id ?? 0 }))).toMatchObject({
      code: 'SESSION_NOT_FOUND',
    })
    expect((await other.api.auth.verify({})).isAuthenticated).toBe(true)
  })

  test('get a new token every day; the old one works for a moment longer', async () => {
    const user = await person()
    expect((await user.api.auth.verify({})).token).toBeNull()
    clock.advance(rotateAfterMs)
    const { token } = await user.api.auth.verify({})
    expect(token).toMatch(/^[\w-]{43}$/)
    const fresh = createApi(app.url, token ?? '')
    expect((await user.api.auth.verify({})).isAuthenticated).toBe(true)
    clock.advance(rotationGraceMs)
    expect((await user.api.auth.verify({})).isAuthenticated).toBe(false)
    expect((await fresh.auth.verify({})).isAuthenticated).toBe(true)
    expect((await fresh.session.list({})).total).toBe(1)
  })
})
