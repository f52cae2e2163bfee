import { hash } from 'node:crypto'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  adminName,
  createAccount,
  createDatabase,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { migrate, readMigrations } from '../../../platform/db/migrate.ts'

const hourMs = 3_600_000
const clock = new FakeClock()
let app: TestApp

beforeAll(async () => {
  const sessions = { sessionIdleMinutes: 200 * 24 * 60, sessionMaxHours: 200 * 24 }
  app = await startApp({ clock, config: sessions })
})

let serial = 0
async function webhook() {
  const made = await app.api.bridge.create({
    accountId: app.rootAccountId,
    kind: 'webhook-in',
    name: `Webhook ${++serial}`,
    settings: { preset: 'standard' },
  })
  return { ...made, key: made.key ?? '' }
}
const statusOf = async (key: string) =>
  (await fetch(`${app.url}/api/hooks/${key}`, { method: 'POST', body: '[]' })).status
const keysOf = async (id: number) => (await app.api.bridge.get({ id })).keys

describe('the key of a webhook', () => {
  test('is shown when it is made and stands nowhere afterwards', async () => {
    const { id, key } = await webhook()
    expect(key).toMatch(/^[\w-]{32}$/)
    const made = await app.api.bridge.makeKey({ id })
    expect(made.key).toMatch(/^[\w-]{32}$/)
    await statusOf(key)
    await app.drain()
    const secrets = [key, String(made.key)]
    for (const answer of [await app.api.bridge.get({ id }), await app.api.bridge.list({ limit: 1000 })])
      for (const secret of secrets) expect(JSON.stringify(answer)).not.toContain(secret)
    // The database looks itself: the delivered drivers are too much to carry here for every secret.
    const rowsWith = async (secret: string) => {
      const tables = await app.ctx.db.introspection.getTables()
      const found = tables
        .filter((table) => !table.isView)
        .map(
          ({ name, schema }) =>
            `select '${name}' as name from "${schema}"."${name}" t where strpos(row_to_json(t)::text, $1) > 0`,
        )
      const { rows } = await app.ctx.pool.query({ text: found.join(' union all '), values: [secret] })
      return rows
    }
    expect(await rowsWith(adminName), 'what is stored is found').toContainEqual({ name: 'users' })
    for (const secret of secrets) expect(await rowsWith(secret)).toEqual([])
  })

  test('is known by its last characters, and when it was last used', async () => {
    const { id, key } = await webhook()
    expect(await keysOf(id)).toMatchObject([{ hint: key.slice(-4), endsAt: null, lastUsedAt: null }])
    expect(await statusOf(key)).toBe(200)
    const used = clock.now().toISOString()
    expect(await keysOf(id)).toMatchObject([{ lastUsedAt: used }])
    clock.advance(30_000)
    await statusOf(key)
    expect(await keysOf(id)).toMatchObject([{ lastUsedAt: used }])
    clock.advance(30_000)
    await statusOf(key)
    expect(await keysOf(id)).toMatchObject([{ lastUsedAt: clock.now().toISOString() }])
  })

  test('goes on working beside a new one for the time that was chosen', async () => {
    const { id, key } = await webhook()
    const made = await app.api.bridge.makeKey({ id, overlapHours: 48 })
    const ends = new Date(clock.now().getTime() + 48 * hourMs).toISOString()
    expect(made.keys).toMatchObject([
      { hint: made.key?.slice(-4), endsAt: null },
      { hint: key.slice(-4), endsAt: ends },
    ])
    expect([await statusOf(key), await statusOf(made.key ?? '')]).toEqual([200, 200])
    clock.advance(48 * hourMs - 1)
    expect(await statusOf(key)).toBe(200)
    clock.advance(1)
    expect([await statusOf(key), await statusOf(made.key ?? '')]).toEqual([404, 200])
    expect(await keysOf(id)).toHaveLength(1)
  })

  test('ends at once when no time is chosen, and can be ended early', async () => {
    const { id, key } = await webhook()
    const second = await app.api.bridge.makeKey({ id, overlapHours: 0 })
    expect([await statusOf(key), await statusOf(second.key ?? '')]).toEqual([404, 200])
    const third = await app.api.bridge.makeKey({ id })
    const old = third.keys.find(({ endsAt }) => endsAt !== null)
    const left = await app.api.bridge.endKey({ id, keyId: old?.id ?? 0 })
    expect(left.keys).toMatchObject([{ hint: third.key?.slice(-4) }])
    expect([await statusOf(second.key ?? ''), await statusOf(third.key ?? '')]).toEqual([404, 200])
    const log = await app.api.activityLog.list({ subject: 'Connector', objectId: id })
    expect(log.items.map(({ action }) => action)).toEqual(['endKey', 'makeKey', 'makeKey', 'create'])
    expect(JSON.stringify(log)).not.toContain(third.key)
  })

  test('does not live longer because a newer one is made', async () => {
    const { id, key } = await webhook()
    const { keys } = await app.api.bridge.makeKey({ id, overlapHours: 1 })
    const end = keys.find(({ hint }) => hint === key.slice(-4))?.endsAt
    const later = await app.api.bridge.makeKey({ id, overlapHours: 1000 })
    expect(later.keys.find(({ hint }) => hint === key.slice(-4))?.endsAt).toBe(end)
  })

  test('is one of five at most', async () => {
    const { id } = await webhook()
    for (let n = 0; n < 4; n++) await app.api.bridge.makeKey({ id })
    expect(await errorOf(app.api.bridge.makeKey({ id }))).toMatchObject({
      code: 'CONNECTOR_KEYS_MAX',
      status: 409,
    })
    await app.api.bridge.makeKey({ id, overlapHours: 0 })
    expect(await keysOf(id)).toHaveLength(1)
  })

  test('of others is neither made nor ended; other kinds have none', async () => {
    const { id, keys, key } = await webhook()
    const other = await createAccount(app)
    const roleId = await roleNamed(app, 'Account administrator')
    const { api } = await createUser(app, other, [{ roleId }])
    expect(await errorOf(api.bridge.makeKey({ id, overlapHours: 0 }))).toMatchObject({
      code: 'CONNECTOR_NOT_FOUND',
    })
    expect(await errorOf(api.bridge.endKey({ id, keyId: keys[0]?.id ?? 0 }))).toMatchObject({
      code: 'CONNECTOR_NOT_FOUND',
    })
    const own = await api.bridge.create({
      accountId: other.id,
      kind: 'webhook-in',
      name: 'Own',
      settings: {},
    })
    expect(await errorOf(api.bridge.endKey({ id: own.id, keyId: keys[0]?.id ?? 0 }))).toMatchObject({
      code: 'CONNECTOR_KEY_NOT_FOUND',
    })
    expect(await statusOf(key)).toBe(200)
    const broker = await app.api.bridge.create({
      accountId: app.rootAccountId,
      kind: 'mqtt-broker',
      name: 'Broker',
      settings: { username: 'keyless', password: 'very secret words' },
    })
    expect(broker).toMatchObject({ key: null, keys: [] })
    expect(await errorOf(app.api.bridge.makeKey({ id: broker.id }))).toMatchObject({
      code: 'CONNECTOR_KEYLESS',
    })
  })

  test('works on every node at once, and after a restart', async () => {
    await using second = await startApp({ clock, address: app.address })
    const { id, key } = await webhook()
    const made = await app.api.bridge.makeKey({ id, overlapHours: 0 })
    await second.drain()
    const on = async (url: string, one: string) =>
      (await fetch(`${url}/api/hooks/${one}`, { method: 'POST', body: '[]' })).status
    await expect.poll(() => on(second.url, made.key ?? '')).toBe(200)
    expect(await on(second.url, key)).toBe(404)
  })
})

test('an upgrade keeps only hashes of the keys there are, and they go on working', async () => {
  const address = await createDatabase({ migrated: false })
  const client = new pg.Client(address)
  await client.connect()
  const folder = new URL('../../../../migrations', import.meta.url).pathname
  const all = readMigrations(folder)
  const before = all.findIndex(({ name }) => name.startsWith('0045'))
  const key = 'an-old-key-of-a-webhook-in-use'
  await migrate(client, all.slice(0, before))
  await client.query("insert into accounts (name) values ('Top')")
  await client.query('insert into scopes (account_id, name) select id, name from accounts')
  await client.query(
    `insert into connectors (account_id, scope_id, name, kind, settings, key, enabled)
     select a.id, s.id, 'Old', 'webhook-in', '{"preset":"standard"}', $1, true
     from accounts a join scopes s on s.account_id = a.id`,
    [key],
  )
  await migrate(client, all)
  const connectors = await client.query('select row_to_json(c)::text as line from connectors c')
  const keys = await client.query("select encode(hash, 'hex') as hash, hint, ends_at from connector_keys")
  await client.end()
  expect(JSON.stringify(connectors.rows)).not.toContain(key)
  expect(keys.rows).toEqual([{ hash: hash('sha256', key), hint: '-use', ends_at: null }])
})
