import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { beforeItStarts } from '../../../test/jobs.ts'
import {
  type Api,
  createAccount,
  createApi,
  createApiWith,
  createUser,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { relyingParty, tokensFor } from '../../../test/oauth.ts'
import { createConnector, createDevice, createDriver } from '../../../test/pipeline.ts'
import { freePort } from '../../../test/ports.ts'

/** Pages of a bulk edit have 25 devices: access is revoked while the job works on the second. */
const count = 60
const clock = new FakeClock()
let app: TestApp
let account: { id: number; scopeId: number }
let connector: { id: number; accountId: number; scopeId: number }
let ids: number[]
let driverId: number

beforeAll(async () => {
  const port = await freePort()
  app = await startApp({ clock, config: { port, publicUrl: `http://127.0.0.1:${port}` } })
  account = await createAccount(app)
  connector = await createConnector(app, account.id, account.scopeId)
  driverId = await createDriver(app, 'function decodeUplink() { return { data: { level: 1 } } }')
  ids = []
  for (let n = 0; n < count; n++) ids.push(await createDevice(app, connector, `job-${n}`, driverId))
})

const roleId = () => roleNamed(app, 'Account administrator')
const person = async () => createUser(app, account, [{ roleId: await roleId() }])

async function program(changes: object = {}) {
  const input = { title: 'Program', scopeId: account.scopeId, roleId: await roleId(), ...changes }
  const { key, token } = await app.api.apikey.create(input)
  return { key, api: createApiWith(app.url, { 'x-api-key': token }) }
}

/** Credentials that start a job, and how to revoke them. */
const ends: Record<string, () => Promise<{ api: Api; end: () => Promise<unknown> }>> = {
  'the key is deleted': async () => {
    const { api, key } = await program()
    return { api, end: () => app.api.apikey.delete({ id: key.id }) }
  },
  'the key expires': async () => {
    const { api } = await program({ validUntil: new Date(clock.now().getTime() + 60_000).toISOString() })
    return { api, end: async () => clock.advance(61_000) }
  },
  'the key is replaced at once': async () => {
    const { api, key } = await program()
    return { api, end: () => app.api.apikey.rotate({ id: key.id, version: key.version, overlapHours: 0 }) }
  },
  'the user is deactivated': async () => {
    const { api, id } = await person()
    return {
      api,
      end: () => app.ctx.db.updateTable('users').set({ active: false }).where('id', '=', id).execute(),
    }
  },
  'the user is deleted': async () => {
    const { api, id } = await person()
    return { api, end: () => app.api.user.delete({ id }) }
  },
  'the user has lost the right': async () => {
    const { api, id } = await person()
    return { api, end: () => app.ctx.db.deleteFrom('user_access').where('user_id', '=', id).execute() }
  },
  'the person acting as the user is deactivated': async () => {
    const [one, acting] = [await person(), await person()]
    const { token } = await acting.api.auth.impersonate({ userId: one.id })
    const off = app.ctx.db.updateTable('users').set({ active: false })
    return { api: createApi(app.url, token), end: () => off.where('id', '=', acting.id).execute() }
  },
  'the person takes back what the application was allowed': async () => {
    const { application, secret } = await app.api.application.create({
      accountId: account.id,
      title: 'App',
      description: '',
      kind: 'confidential',
      redirectUris: ['https://app.example.org/back'],
      scopes: ['openid', 'all'],
    })
    const redirectUri = 'https://app.example.org/back'
    const party = await relyingParty(app, { clientId: application.clientId, secret, redirectUri })
    const user = await person()
    const { api } = await tokensFor(app, party, 'openid all', user.token)
    const [granted] = (await user.api.application.granted({})).items
    return { api, end: () => user.api.application.revoke({ id: granted?.id ?? 0 }) }
  },
}

describe('a job that is at work ends when', () => {
  test.each(Object.entries(ends))('%s', async (name, begin) => {
    const { api, end } = await begin()
    const mode = { kind: 'edit', changes: { description: name } } as const
    const { id } = await api.bulk.edit({ title: name, selection: { ids }, mode })
    let draining: Promise<void> | undefined
    await app.ctx.db.transaction().execute(async (tx) => {
      await sql`select from twins where id = ${ids[29] as number} for update`.execute(tx)
      draining = app.drain()
      // On the second page: the device before the blocked one is done.
      const before = () => app.api.virtualdevice.get({ id: ids[28] as number })
      while ((await before()).description !== name);
      await end()
      await app.ctx.configChanges.settle()
    })
    await draining
    const job = await app.api.job.get({ id })
    expect(job).toMatchObject({ state: 'failed', error: { code: 'BACKGROUND_JOB_REVOKED' }, done: 50 })
    const last = () => app.api.virtualdevice.get({ id: ids[count - 1] as number })
    expect((await last()).description).not.toBe(name)
    // A user with the rights resumes it.
    await app.api.job.retry({ id })
    await app.drain()
    expect(await app.api.job.get({ id })).toMatchObject({ state: 'done', done: count })
    expect((await last()).description).toBe(name)
  })
})

describe('a job that has not begun does nothing when its key is gone', () => {
  /** Queues a job that cannot start yet, deletes the key, and lets the job start. */
  async function begunInVain(begin: (api: Api) => Promise<{ id: number }>) {
    const { api, key } = await program()
    const { id } = await beforeItStarts(
      app,
      () => begin(api),
      () => app.api.apikey.delete({ id: key.id }),
    )
    return app.api.job.get({ id })
  }
  const revoked = { state: 'failed', error: { code: 'BACKGROUND_JOB_REVOKED' }, done: 0 }

  test('decoding again', async () => {
    const packets = [{ identifier: 'job-0', payload: '01' }]
    await app.app.ingest.submit({ connector, packets, raw: '', receivedAt: clock.now() })
    const period = { from: '2026-01-01T00:00:00.000Z', to: '2027-01-01T00:00:00.000Z' }
    const selection = { ...period, deviceIds: [ids[0] as number], errorsOnly: false, using: null }
    expect(await begunInVain((api) => api.letters.redecode(selection))).toMatchObject(revoked)
  })

  test('replaying messages', async () => {
    const packets = [{ identifier: 'nobody', payload: '01' }]
    await app.app.ingest.submit({ connector, packets, raw: '{}', receivedAt: clock.now() })
    const { id } = connector
    const job = await begunInVain((api) => api.letters.replay({ id, selection: { filter: {} } }))
    expect(job).toMatchObject(revoked)
  })
})
