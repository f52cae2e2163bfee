import { failedSignInLimits } from '@leitstand/contract/failedSignIns'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  adminName,
  createAccount,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { SignInFailures } from './index.ts'

const clock = new FakeClock()
let app: TestApp
beforeAll(async () => {
  app = await startApp({ clock })
})

async function userWithRole(role: string) {
  const account = await createAccount(app)
  return { account, ...(await createUser(app, account, [{ roleId: await roleNamed(app, role) }])) }
}

async function found(search: string) {
  await app.drain()
  return app.api.failedSignIn.list({ search })
}

describe('a sign-in that failed', () => {
  test('is kept with its reason, once for the same of a day', async () => {
    const user = await userWithRole('Viewer')
    for (let time = 0; time < 6; time++) await errorOf(app.login(user.username, 'wrong'))
    const { items, total } = await found(user.username)
    expect(total).toBe(2)
    const about = { user: { id: user.id, name: user.username }, account: { id: user.account.id } }
    expect(items).toMatchObject([
      { reason: 'locked', times: 1, ...about },
      { reason: 'password', times: 5, ...about },
    ])
    expect(items[0]?.address).toMatch(/127\.0\.0\.1|::1/)
    clock.advance(24 * 3_600_000)
    await errorOf(app.login(user.username, 'wrong'))
    expect((await found(user.username)).total).toBe(3)
    expect((await app.api.failedSignIn.list({ search: user.username, reason: 'locked' })).total).toBe(1)
  })

  test('does not tell a password that was typed into the field of the name', async () => {
    await errorOf(app.login('my secret password', 'wrong'))
    const { items } = await found('my ')
    expect(items).toMatchObject([{ name: 'my…', reason: 'unknown', user: null, account: null }])
    expect(JSON.stringify(items)).not.toContain('secret')
  })

  test('says that a user is deactivated or has no role', async () => {
    const user = await userWithRole('Viewer')
    await app.ctx.db.deleteFrom('user_access').where('user_id', '=', user.id).execute()
    app.app.people.forgetRights()
    await errorOf(app.login(user.username))
    await app.ctx.db.updateTable('users').set({ active: false }).where('id', '=', user.id).execute()
    await errorOf(app.login(user.username))
    const { items } = await found(user.username)
    expect(items.map(({ reason }) => reason).sort()).toEqual(['deactivated', 'unassigned'])
  })

  test('is shown to administrators of the account of the user only', async () => {
    const victim = await userWithRole('Viewer')
    const stranger = await userWithRole('Account administrator')
    const admin = await createUser(app, victim.account, [
      { roleId: await roleNamed(app, 'Account administrator') },
    ])
    await errorOf(app.login(victim.username, 'wrong'))
    await errorOf(app.login('nobody has this', 'wrong'))
    await app.drain()
    expect((await admin.api.failedSignIn.list({})).items).toMatchObject([{ name: victim.username }])
    expect((await stranger.api.failedSignIn.list({})).total).toBe(0)
    expect(await errorOf(victim.api.failedSignIn.list({}))).toMatchObject({ code: 'NO_PERMISSION' })
  })

  test('goes with its user', async () => {
    const user = await userWithRole('Viewer')
    await errorOf(app.login(user.username, 'wrong'))
    expect((await found(user.username)).total).toBe(1)
    await app.ctx.db.deleteFrom('users').where('id', '=', user.id).execute()
    expect((await found(user.username)).total).toBe(0)
  })
})

describe('a flood of failed sign-ins', () => {
  const failures = () => new SignInFailures({ db: app.ctx.db, clock, log: app.ctx.log })

  test('from one network takes a few rows', async () => {
    const flood = failures()
    for (let round = 0; round < 3; round++) {
      for (let at = 0; at < 2000; at++)
        flood.note({ name: `${round}${at}`, ip: '2001:db8::1', reason: 'unknown' })
      await flood.flush()
    }
    const { items, total } = await app.api.failedSignIn.list({ search: '2001:db8', limit: 1000 })
    expect(total).toBeLessThanOrEqual(failedSignInLimits.ofNetworkMax + 1)
    const rest = await app.api.failedSignIn.list({ limit: 1000 })
    const all = rest.items.filter(({ name, address }) => address.startsWith('2001:db8') || name === '')
    expect(all.reduce((sum, { times }) => sum + times, 0)).toBe(6000)
    expect(items.some(({ name }) => name === '')).toBe(true)
  })

  test('from many networks stays within the newest rows', async () => {
    const flood = failures()
    for (let at = 0; at < 10_500; at++) {
      flood.note({ name: 'root', ip: `10.${at >> 12}.${(at >> 4) & 255}.${at & 15}`, reason: 'unknown' })
      flood.note({ name: `${at}`, ip: `11.${at >> 12}.${(at >> 4) & 255}.${at & 15}`, reason: 'unknown' })
      if (at % 400 === 0) await flood.flush()
    }
    await flood.flush()
    expect((await app.api.failedSignIn.list({})).total).toBeLessThanOrEqual(failedSignInLimits.keptMax)
    expect((await app.api.failedSignIn.list({ search: '"roo…"' })).total).toBeLessThanOrEqual(
      failedSignInLimits.ofNameMax + 1,
    )
  })

  test('is deleted after its time', async () => {
    clock.advance((failedSignInLimits.keptDays + 1) * 24 * 3_600_000)
    const last = failures()
    last.note({ name: 'root', ip: '10.0.0.1', reason: 'unknown' })
    await last.flush()
    const { api } = await app.login(adminName)
    expect((await api.failedSignIn.list({})).total).toBe(1)
  })
})
