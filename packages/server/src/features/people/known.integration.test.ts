import { describe, expect, test } from 'vitest'
import {
  adminName,
  createAccount,
  type createApi,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  testPassword,
} from '../../../test/kit.ts'
import { deviceLastsMs, networkLastsMs, networkOf } from './known.ts'
import { lockMs, wrongMax } from './lockout.ts'
import { lockMailEveryMs } from './notices.ts'
import { knownMax } from './store/known.ts'

const clock = new FakeClock()
const app = await startApp({ clock })

/** A user who has never signed in: forgets the sign-in of the factory. */
async function person() {
  const account = await createAccount(app)
  const user = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
  await app.ctx.pool.query('delete from known_devices')
  await app.ctx.pool.query('delete from known_networks')
  return user
}

interface From {
  ip: string
  /** the cookie of a browser */
  device?: string | undefined
}

/** Signs in from an address given in the header of a local proxy. */
async function signIn(username: string, { ip, device }: From, password = testPassword) {
  const reply = await fetch(`${app.url}/api/auth/login`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': ip,
      ...(device === undefined ? {} : { cookie: `leitstand_device=${device}` }),
    },
    body: JSON.stringify({ username, password }),
  })
  const { code } = (await reply.json()) as { code?: string }
  const cookie = reply.headers.getSetCookie().find((each) => each.startsWith('leitstand_device=')) ?? ''
  return { code: code ?? 'ok', cookie, device: /=([^;]*)/.exec(cookie)?.[1] }
}
const guess = (username: string, from: From) => signIn(username, from, 'a wrong guess')
async function lockOut(username: string, from: From) {
  for (let n = 0; n < wrongMax; n++) expect((await guess(username, from)).code).toBe(wrong)
  expect((await guess(username, from)).code).toBe(locked)
}
const wrong = 'AUTH_LOGIN_PASSWORD_MISMATCH'
const locked = 'AUTH_LOGIN_TOO_MANY_WRONG_REQUESTS'
const [stranger, office, home] = ['203.0.113.7', '198.51.100.20', '192.0.2.30']

describe('a stranger who guesses', () => {
  test('locks out strangers, but neither the known browser nor the known network', async () => {
    const { username } = await person()
    const { device, cookie } = await signIn(username, { ip: office })
    expect(cookie).toMatch(/HttpOnly/)
    expect(cookie).toMatch(/SameSite=Strict/)
    await lockOut(username, { ip: stranger })
    expect((await signIn(username, { ip: home })).code).toBe(locked)
    expect((await signIn(username, { ip: office })).code).toBe('ok')
    expect((await signIn(username, { ip: home, device })).code).toBe('ok')
    // Successful sign-ins do not lift the lock for attackers.
    expect((await guess(username, { ip: stranger })).code).toBe(locked)
    clock.advance(lockMs)
    expect((await signIn(username, { ip: '203.0.113.99' })).code).toBe('ok')
  })

  test('does not keep somebody who is signed in from changing the password', async () => {
    const { username, api } = await person()
    await lockOut(username, { ip: stranger })
    await api.password.change({ oldPassword: testPassword, newPassword: 'entirely different words' })
  })

  test('has five guesses in all, from however many addresses', async () => {
    const { username } = await person()
    for (let n = 0; n < wrongMax; n++)
      expect((await guess(username, { ip: `203.0.113.${n}` })).code).toBe(wrong)
    expect((await guess(username, { ip: '203.0.113.200' })).code).toBe(locked)
  })

  test('gains nothing by a cookie that is made up, of somebody else, or taken before it was replaced', async () => {
    const [victim, other] = [await person(), await person()]
    const own = await signIn(other.username, { ip: stranger })
    const old = await signIn(victim.username, { ip: office })
    await signIn(victim.username, { ip: office, device: old.device })
    await lockOut(victim.username, { ip: stranger })
    for (const device of [own.device, old.device, 'x'.repeat(43), ''])
      expect((await guess(victim.username, { ip: stranger, device })).code).toBe(locked)
  })
})

describe('a known browser or network', () => {
  test('has five guesses of its own, and locks nobody else out', async () => {
    const { username } = await person()
    const { device } = await signIn(username, { ip: office })
    await lockOut(username, { ip: office })
    expect((await signIn(username, { ip: office })).code).toBe(locked)
    expect((await signIn(username, { ip: office, device })).code).toBe('ok')
    const again = await signIn(username, { ip: home })
    await lockOut(username, { ip: stranger, device: again.device })
    expect((await signIn(username, { ip: home })).code).toBe('ok')
  })

  test('is forgotten with a new password, and when all other sessions are ended', async () => {
    const forgetting = [
      (api: ReturnType<typeof createApi>) => api.session.endOthers(),
      (api: ReturnType<typeof createApi>) =>
        api.password.change({ oldPassword: testPassword, newPassword: 'entirely different words' }),
    ]
    for (const forget of forgetting) {
      const { username, api } = await person()
      const { device } = await signIn(username, { ip: office })
      await forget(api)
      await lockOut(username, { ip: stranger })
      expect((await guess(username, { ip: office, device })).code).toBe(locked)
    }
  })

  test('is one of twenty, and forgotten when it was not used for long', async () => {
    const { username, id } = await person()
    const { device } = await signIn(username, { ip: office })
    for (let n = 0; n < knownMax + 3; n++) await signIn(username, { ip: `192.0.2.${n}` })
    const { rows } = await app.ctx.pool.query(
      `select (select count(*)::int from known_devices where user_id = $1) as devices,
        (select count(*)::int from known_networks where user_id = $1) as networks`,
      [id],
    )
    expect(rows).toEqual([{ devices: knownMax, networks: knownMax }])
    await lockOut(username, { ip: stranger })
    expect((await guess(username, { ip: office, device })).code).toBe(locked)

    const late = await person()
    const known = await signIn(late.username, { ip: office })
    clock.advance(networkLastsMs)
    await lockOut(late.username, { ip: stranger })
    expect((await signIn(late.username, { ip: office })).code).toBe(locked)
    const { device: next } = await signIn(late.username, { ip: home, device: known.device })
    clock.advance(deviceLastsMs)
    await lockOut(late.username, { ip: stranger })
    expect((await signIn(late.username, { ip: home, device: next })).code).toBe(locked)
    await app.app.people.clean()
    expect((await app.ctx.pool.query('select from known_devices')).rowCount).toBe(0)
  })

  test('keeps two people who share a browser known', async () => {
    const [one, two] = [await person(), await person()]
    const first = await signIn(one.username, { ip: office })
    const second = await signIn(two.username, { ip: office, device: first.device })
    await lockOut(one.username, { ip: stranger })
    await lockOut(two.username, { ip: stranger })
    const third = await signIn(one.username, { ip: home, device: second.device })
    expect(third.code).toBe('ok')
    expect((await signIn(two.username, { ip: home, device: third.device })).code).toBe('ok')
  })

  test('leaves only the hash of its cookie behind', async () => {
    const { username } = await person()
    const { device } = await signIn(username, { ip: office })
    const { rows } = await app.ctx.pool.query('select encode(token_hash, $1) as hash from known_devices', [
      'escape',
    ])
    expect(device).toMatch(/^[\w-]{43}$/)
    expect(JSON.stringify(rows)).not.toContain(device)
  })
})

test('the user gets a mail that says from where, once an hour at most; names nobody has get none', async () => {
  const { username } = await person()
  const mails = async () => {
    await app.drain()
    const { api } = await app.login(adminName)
    const { items } = await api.mail.list({ limit: 1000 })
    return items.filter(({ recipients }) => recipients.includes(`${username}@example.org`))
  }
  await lockOut(username, { ip: stranger })
  await lockOut('nobody at all', { ip: stranger })
  const [mail, ...more] = await mails()
  expect(mail).toMatchObject({ subject: 'Leitstand: Anmeldung vorübergehend gesperrt' })
  expect(mail?.body).toContain(stranger)
  expect(more).toEqual([])
  clock.advance(lockMs)
  await lockOut(username, { ip: stranger })
  expect(await mails()).toHaveLength(1)
  clock.advance(lockMailEveryMs)
  await lockOut(username, { ip: stranger })
  expect(await mails()).toHaveLength(2)
})

test('guesses of somebody who is signed in are counted apart', async () => {
  const { username, api } = await person()
  for (let n = 0; n < wrongMax; n++)
    expect(
      await errorOf(api.password.change({ oldPassword: 'wrong', newPassword: 'other words here' })),
    ).toMatchObject({
      code: wrong,
    })
  const right = api.password.change({ oldPassword: testPassword, newPassword: 'entirely different words' })
  expect(await errorOf(right)).toMatchObject({ code: locked })
  expect((await signIn(username, { ip: home })).code).toBe('ok')
})

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
  ['no address', null],
])('the network of %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network)
})
