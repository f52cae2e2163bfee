import { type LiveServerMessage, type LiveTopic, liveLimits } from '@leitstand/contract/live'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  createAccount,
  createApi,
  createRole,
  createUser,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { type LiveReader, openLive } from '../../../test/live.ts'
import { createTwin } from '../../../test/pipeline.ts'
import type { Context } from '../context.ts'
import { liveBounds } from './bounds.ts'
import type { LiveKind } from './index.ts'

const clock = new FakeClock()
/** The server on which changes are made, and another on the same database, which only gets notified. */
let app: TestApp
let other: TestApp
const readers: LiveReader[] = []

const topic = 'rig:1' as LiveTopic
const value = (timeMs: number): LiveServerMessage => ({
  kind: 'execution',
  topic,
  ruleId: 1,
  result: 'fired',
  timeMs,
})
/** Topics for users who may read devices in some account, and for users who may use a module. */
const kind: LiveKind = {
  authorise: async (caller, id) => caller.can(id === 2 ? 'IsAssetMgmt' : 'VirtualDevice', 'read'),
  backfill: (_caller, _id, sinceMs) => past(sinceMs),
}
let past: (sinceMs: number) => Promise<LiveServerMessage[]> = async () => []

beforeAll(async () => {
  app = await startApp({ clock })
  other = await startApp({ clock, address: app.address })
  for (const { ctx } of [app, other]) ctx.live.topic('rig', kind)
})
afterEach(() => {
  for (const reader of readers.splice(0)) reader[Symbol.dispose]()
})

async function open(server: TestApp, token: string): Promise<LiveReader> {
  const reader = await openLive(server, token)
  readers.push(reader)
  return reader
}

/** Resolves when everything committed has arrived at a server and taken effect. */
async function heard({ configChanges, live }: Context): Promise<void> {
  await configChanges.settle()
  await live.settled()
}

async function person() {
  const account = await createAccount(app)
  const viewer = await roleNamed(app, 'Viewer')
  const user = await createUser(app, account, [{ roleId: viewer }])
  return { account, viewer, ...user }
}
type Person = Awaited<ReturnType<typeof person>>

/** Events that end a subscription, with the code the connection is closed with. */
const ends: Record<string, { code: number; run: (one: Person) => Promise<unknown> }> = {
  'signing out': { code: liveLimits.closeUnauthorised, run: ({ api }) => api.auth.logout() },
  'deactivating the user': {
    code: liveLimits.closeUnauthorised,
    run: ({ id }) => app.ctx.db.updateTable('users').set({ active: false }).where('id', '=', id).execute(),
  },
  'deleting the user': {
    code: liveLimits.closeUnauthorised,
    run: ({ id }) => app.api.user.delete({ id }),
  },
  'taking the role': {
    code: liveLimits.closeRightsChanged,
    run: ({ id }) => app.ctx.db.deleteFrom('user_access').where('user_id', '=', id).execute(),
  },
  'another role that takes away': {
    code: liveLimits.closeRightsChanged,
    run: async ({ id, account }) => {
      const roleId = await createRole(app, [
        { subject: 'VirtualDevice', actions: ['manage'], inverted: true },
      ])
      await app.ctx.db
        .updateTable('user_access')
        .set({ role_id: roleId, scope_id: account.scopeId })
        .where('user_id', '=', id)
        .execute()
    },
  },
  'changing what the role grants': {
    code: liveLimits.closeRightsChanged,
    run: async ({ id }) => {
      const roleId = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }])
      const access = app.ctx.db.updateTable('user_access').set({ role_id: roleId })
      await access.where('user_id', '=', id).execute()
      await heard(app.ctx)
      await heard(other.ctx)
      await app.ctx.db.updateTable('roles').set({ rules: '[]' }).where('id', '=', roleId).execute()
    },
  },
  'ending the session elsewhere': {
    code: liveLimits.closeUnauthorised,
    run: async ({ username }) => (await app.login(username)).api.session.endOthers(),
  },
  'a session that expires': {
    code: liveLimits.closeUnauthorised,
    run: async ({ id }) => {
      const until = new Date(clock.now().getTime() - 1)
      await app.ctx.db.updateTable('sessions').set({ expires_at: until }).where('user_id', '=', id).execute()
      await app.ctx.db.updateTable('users').set({ first_name: 'x' }).where('id', '=', id).execute()
    },
  },
}

describe.each(Object.entries(ends))('%s', (_name, { code, run }) => {
  test('ends the stream at once, on every server', async () => {
    const one = await person()
    const [here, there] = [await open(app, one.token), await open(other, one.token)]
    for (const reader of [here, there])
      expect((await reader.follow(topic)).at(-1)).toMatchObject({ kind: 'subscribed' })
    await run(one)
    await heard(app.ctx)
    await heard(other.ctx)
    for (const server of [app, other]) {
      server.ctx.live.publish(topic, value(1))
      await expect.poll(() => server.ctx.live.hasFollowers(topic)).toBe(false)
    }
    for (const reader of [here, there]) {
      expect((await reader.closed).code).toBe(code)
      // Not even messages that were in flight when it was closed.
      await expect(reader.received()).rejects.toThrow('closed')
    }
  })
})

describe('a live connection', () => {
  test('belongs to one caller: a second hello ends it', async () => {
    const [one, two] = [await person(), await person()]
    const reader = await open(app, one.token)
    await reader.follow(topic)
    reader.send({ kind: 'hello', token: two.token })
    expect((await reader.closed).code).toBe(liveLimits.closeSecondHello)
    await expect.poll(() => app.ctx.live.hasFollowers(topic)).toBe(false)
  })

  test('ends with its session when nothing is said about it', async () => {
    const one = await person()
    const reader = await open(other, one.token)
    await reader.follow(topic)
    clock.advance(31 * 24 * 3_600_000)
    expect(await reader.closed).toMatchObject({ code: liveLimits.closeUnauthorised })
    // This has ended all sessions.
    Object.assign(app, await app.login('admin@localhost'))
  })

  test('of somebody who acts as another one ends with the acting, and with the own session', async () => {
    for (const end of ['restore', 'own session'] as const) {
      const one = await person()
      const admin = await app.login('admin@localhost')
      const { token, originalToken } = await admin.api.auth.impersonate({ userId: one.id })
      const [acting, own] = [await open(other, token), await open(other, originalToken)]
      expect((await acting.follow(topic)).at(-1)).toMatchObject({ kind: 'subscribed' })
      if (end === 'restore') await createApi(app.url, token).auth.restore({ originalToken })
      else await admin.api.auth.logout()
      await heard(other.ctx)
      expect((await acting.closed).code).toBe(liveLimits.closeUnauthorised)
      if (end === 'restore') expect(await own.received()).toEqual([])
      else expect((await own.closed).code).toBe(liveLimits.closeUnauthorised)
    }
  })

  test('gives nothing of a backfill that was read with rights from before', async () => {
    const one = await person()
    const reader = await open(other, one.token)
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<LiveServerMessage[]>()
    past = () => {
      asked.resolve()
      return answer.promise
    }
    const following = reader.follow(topic, 1).catch((error: Error) => error.message)
    await asked.promise
    other.ctx.live.publish(topic, value(2))
    await ends['taking the role']?.run(one)
    await heard(other.ctx)
    answer.resolve([value(1)])
    past = async () => []
    expect(await following).toBe(
      `the live connection was closed: ${liveLimits.closeRightsChanged} rights changed`,
    )
  })

  test('stays where rights have changed that do not concern what it follows', async () => {
    const one = await person()
    const reader = await open(other, one.token)
    await reader.follow(topic)
    const roleId = await createRole(app, [{ subject: 'Dashboards', actions: ['read'] }])
    const access = { user_id: one.id, scope_id: one.account.scopeId, role_id: roleId, is_main: false }
    await app.ctx.db.insertInto('user_access').values(access).execute()
    await createAccount(app, { parent: one.account })
    await heard(other.ctx)
    other.ctx.live.publish(topic, value(1))
    expect(await reader.received()).toEqual([value(1)])
  })

  test('that was refused something is asked to come back when its rights have changed', async () => {
    const one = await person()
    await ends['taking the role']?.run(one)
    await heard(other.ctx)
    const reader = await open(other, one.token)
    expect(await reader.follow(topic)).toMatchObject([{ kind: 'refused', code: 'NO_PERMISSION' }])
    const access = { user_id: one.id, scope_id: one.account.scopeId, role_id: one.viewer, is_main: true }
    await app.ctx.db.insertInto('user_access').values(access).execute()
    await heard(other.ctx)
    expect((await reader.closed).code).toBe(liveLimits.closeRightsChanged)
  })

  test('ends when the module is switched off that it is about', async () => {
    const one = await person()
    const roleId = await createRole(app, [{ subject: 'IsAssetMgmt', actions: ['read'] }])
    const user = await createUser(app, one.account, [{ roleId }])
    const reader = await open(other, user.token)
    expect((await reader.follow('rig:2' as LiveTopic)).at(-1)).toMatchObject({ kind: 'subscribed' })
    const off = { account_id: one.account.id, module: 'assets', enabled: false, updated_at: clock.now() }
    await app.ctx.db.insertInto('account_modules').values(off).execute()
    await heard(other.ctx)
    expect((await reader.closed).code).toBe(liveLimits.closeRightsChanged)
  })

  test('ends when what it follows goes elsewhere', async () => {
    const one = await person()
    const elsewhere = await createAccount(app)
    const place = { accountId: one.account.id, scopeId: one.account.scopeId }
    const id = await createTwin(app, place, 'virtualDevice')
    const reader = await open(other, one.token)
    expect((await reader.follow(`twin:${id}`)).at(-1)).toMatchObject({ kind: 'subscribed' })
    await app.ctx.db.updateTable('twins').set({ scope_id: elsewhere.scopeId }).where('id', '=', id).execute()
    await heard(other.ctx)
    expect((await reader.closed).code).toBe(liveLimits.closeRightsChanged)
  })

  test('is not for API keys', async () => {
    const one = await person()
    const { token } = await app.api.apikey.create({
      title: 'Key',
      scopeId: one.account.scopeId,
      roleId: one.viewer,
    })
    await expect(open(app, token)).rejects.toThrow(String(liveLimits.closeUnauthorised))
  })
})

describe('many connections', () => {
  test('of one user are bounded, and others come in; the account can see it', async () => {
    const [greedy, quiet] = [await person(), await person()]
    for (let n = 0; n < liveBounds.perUserMax; n++) await open(app, greedy.token)
    await expect(open(app, greedy.token)).rejects.toThrow(
      `${liveLimits.closeTooMany} too many connections of this user`,
    )
    expect((await (await open(app, quiet.token)).follow(topic)).at(-1)).toMatchObject({ kind: 'subscribed' })
    await app.ctx.limitHits.write()
    const hits = await app.ctx.db
      .selectFrom('limit_hits')
      .selectAll()
      .where('limit', '=', 'liveConnections')
      .execute()
    expect(hits).toMatchObject([{ account_id: greedy.account.id, times: 1 }])
    for (const reader of readers.splice(0)) {
      reader[Symbol.dispose]()
      await reader.closed
    }
    await expect.poll(() => open(app, greedy.token).then(() => true)).toBe(true)
  })

  test('that say nothing are bounded by address, and let those go on who are in', async () => {
    const one = await person()
    const reader = await open(app, one.token)
    await reader.follow(topic)
    const silent = Array.from({ length: liveBounds.waitingPerAddressMax + 10 }, () => {
      const socket = new WebSocket(`${app.url.replace('http', 'ws')}/api/live`)
      return {
        socket,
        closed: new Promise<number>((resolve) =>
          socket.addEventListener('close', ({ code }) => resolve(code)),
        ),
      }
    })
    const refused = await Promise.race(silent.map(({ closed }) => closed))
    expect(refused).toBe(liveLimits.closeTooMany)
    app.ctx.live.publish(topic, value(7))
    expect(await reader.received()).toEqual([value(7)])
    for (const { socket } of silent) socket.close()
    await Promise.all(silent.map(({ closed }) => closed))
  })
})
