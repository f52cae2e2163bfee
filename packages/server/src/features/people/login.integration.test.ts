import { beforeAll, describe, expect, test } from 'vitest'
import {
  adminName,
  createAccount,
  createApi,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
  testPassword,
} from '../../../test/kit.ts'
import { lockMs } from './lockout.ts'

const clock = new FakeClock()
let app: TestApp
beforeAll(async () => {
  app = await startApp({ clock })
})

async function userWithRole(role = 'Viewer') {
  const account = await createAccount(app)
  return createUser(app, account, [{ roleId: await roleNamed(app, role) }])
}

describe('signing in', () => {
  test('works with user name and with e-mail, in any case, and verify knows the session', async () => {
    const { username } = await userWithRole()
    for (const name of [username, username.toUpperCase(), `${username}@Example.org`]) {
      const { api } = await app.login(name)
      const verified = await api.auth.verify({})
      expect(verified.isAuthenticated).toBe(true)
      expect(verified.user?.username).toBe(username)
      expect(verified.token).toBeNull()
      expect(verified.access?.permissions).toContain('VirtualDevice.read')
      expect(verified.access?.permissions).not.toContain('VirtualDevice.write')
    }
  })

  test('the cookie alone is a session too, is not readable by scripts, and verify hands its token to the tab', async () => {
    const reply = await fetch(`${app.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: adminName, password: testPassword }),
    })
    const { token } = (await reply.json()) as { token: string }
    const cookie = reply.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^leitstand_session=[^;]+;.*HttpOnly.*SameSite=Strict/)
    const verified = await fetch(`${app.url}/api/auth/verify`, {
      headers: { cookie: cookie.split(';')[0] ?? '' },
    })
    expect(await verified.json()).toMatchObject({ isAuthenticated: true, token })
  })

  test('a wrong password and an unknown user get the same answer', async () => {
    const { username } = await userWithRole()
    const wrong = await errorOf(app.login(username, 'wrong password'))
    const unknown = await errorOf(app.login('nobody at all', 'wrong password'))
    expect(wrong).toMatchObject({ code: 'AUTH_LOGIN_PASSWORD_MISMATCH', status: 401 })
    expect({ ...unknown, data: null }).toEqual({ ...wrong, data: null })
  })

  test('only the hash of a token and of a password is stored', async () => {
    const { id, api, username } = await userWithRole()
    const newPassword = 'a password that the server hashes'
    await api.password.change({ oldPassword: testPassword, newPassword })
    await app.ctx.db.deleteFrom('sessions').where('user_id', '=', id).execute()
    const { token } = await app.login(username, newPassword)
    const session = await app.ctx.db
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(session.token_hash.length).toBe(32)
    expect(session.token_hash.toString('base64url')).not.toBe(token)
    const user = await app.ctx.db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(user.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  test('it leaves an activity entry', async () => {
    const { username } = await userWithRole()
    const { items } = await app.api.activityLog.list({ search: username })
    expect(items[0]).toMatchObject({ action: 'login', subject: 'User', userName: username })
  })
})

describe('five wrong passwords', () => {
  test('lock the user for ten minutes, even with the right password', async () => {
    const { username } = await userWithRole()
    for (let i = 0; i < 5; i++) {
      expect(await errorOf(app.login(username, `wrong ${i}`))).toMatchObject({
        code: 'AUTH_LOGIN_PASSWORD_MISMATCH',
      })
    }
    const locked = { code: 'AUTH_LOGIN_TOO_MANY_WRONG_REQUESTS', status: 429 }
    expect(await errorOf(app.login(username))).toMatchObject(locked)
    const { items } = await app.api.activityLog.list({ search: username })
    expect(items.filter(({ action }) => action === 'lock')).toHaveLength(1)
    clock.advance(lockMs - 1)
    expect(await errorOf(app.login(username))).toMatchObject(locked)
    clock.advance(1)
    await app.login(username)
  })

  test('a right password in between starts the count anew', async () => {
    const { username } = await userWithRole()
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 4; i++) await errorOf(app.login(username, 'wrong'))
      await app.login(username)
    }
  })

  test('many attempts at once do not get more than five guesses', async () => {
    const { username } = await userWithRole()
    const attempts = Array.from({ length: 20 }, (_, i) => errorOf(app.login(username, `guess ${i}`)))
    const codes = (await Promise.all(attempts)).map(({ code }) => code)
    expect(codes.filter((code) => code === 'AUTH_LOGIN_PASSWORD_MISMATCH')).toHaveLength(5)
  })

  test('a name nobody has is counted and locked just the same, and forgotten after that', async () => {
    const known = () => app.ctx.db.selectFrom('unknown_names').selectAll().execute()
    for (let i = 0; i < 5; i++) await errorOf(app.login('ghost', 'wrong'))
    expect(await errorOf(app.login('Ghost', 'wrong'))).toMatchObject({
      code: 'AUTH_LOGIN_TOO_MANY_WRONG_REQUESTS',
    })
    // A password may have been typed as the user name.
    expect(JSON.stringify(await known())).not.toContain('ghost')
    clock.advance(lockMs + 1)
    expect(await errorOf(app.login('ghost', 'wrong'))).toMatchObject({ code: 'AUTH_LOGIN_PASSWORD_MISMATCH' })
    clock.advance(lockMs + 1)
    await app.app.people.clean()
    expect(await known()).toEqual([])
  })
})

describe('a session ends', () => {
  test('by signing out', async () => {
    const { api } = await userWithRole()
    await api.auth.logout()
    expect((await api.auth.verify({})).isAuthenticated).toBe(false)
    expect(await errorOf(api.tenant.fetchAll())).toMatchObject({ code: 'AUTH_TOKEN_NOT_FOUND', status: 401 })
  })

  test('after 14 days without use, and not while it is used', async () => {
    const { api } = await userWithRole()
    clock.advance(13 * 24 * 3_600_000)
    expect(await api.favorite.list()).toEqual({ items: [] })
    clock.advance(13 * 24 * 3_600_000)
    expect(await api.favorite.list()).toEqual({ items: [] })
    clock.advance(14 * 24 * 3_600_000)
    expect((await api.auth.verify({})).isAuthenticated).toBe(false)
    app = { ...app, ...(await app.login(adminName)) }
  })

  test('after 30 days, however it is used, or as soon as the operator wants', async () => {
    const { api } = await userWithRole()
    for (let day = 10; day < 30; day += 10) {
      clock.advance(10 * 24 * 3_600_000)
      expect(await api.favorite.list()).toEqual({ items: [] })
    }
    clock.advance(10 * 24 * 3_600_000)
    expect((await api.auth.verify({})).isAuthenticated).toBe(false)
    app = { ...app, ...(await app.login(adminName)) }

    await using strict = await startApp({ clock, config: { sessionIdleMinutes: 30, sessionMaxHours: 1 } })
    clock.advance(29 * 60_000)
    expect((await strict.api.auth.verify({})).isAuthenticated).toBe(true)
    clock.advance(30 * 60_000)
    expect((await strict.api.auth.verify({})).isAuthenticated).toBe(false)
    const { api: busy } = await strict.login(adminName)
    for (let n = 0; n < 2; n++) {
      clock.advance(25 * 60_000)
      expect((await busy.auth.verify({})).isAuthenticated).toBe(true)
    }
    clock.advance(10 * 60_000)
    expect((await busy.auth.verify({})).isAuthenticated).toBe(false)
  })

  test('when the user is deactivated, who cannot sign in either', async () => {
    const { api, id, username } = await userWithRole()
    await app.ctx.db.updateTable('users').set({ active: false }).where('id', '=', id).execute()
    await app.ctx.configChanges.settle()
    expect((await api.auth.verify({})).isAuthenticated).toBe(false)
    expect(await errorOf(app.login(username))).toMatchObject({ code: 'AUTH_USER_DEACTIVATED', status: 403 })
  })
})

test('a user without any access is told so', async () => {
  const account = await createAccount(app)
  const attempt = createUser(app, account, [])
  expect(await errorOf(attempt)).toMatchObject({ code: 'AUTH_USER_UNASSIGNED_TENANT_OR_SCOPE', status: 403 })
})

test('a token that was never given out is nobody', async () => {
  const api = createApi(app.url, 'x'.repeat(43))
  expect(await errorOf(api.favorite.list())).toMatchObject({ code: 'AUTH_TOKEN_NOT_FOUND' })
})
