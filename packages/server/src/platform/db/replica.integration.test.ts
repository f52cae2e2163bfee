import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Api,
  createApi,
  createApiWith,
  createDatabase,
  createUser,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { Standby } from '../../../test/standby.ts'
import { writeValues } from '../../../test/twins.ts'
import { createLog } from '../log.ts'
import { Metrics } from '../metrics.ts'
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts'
import { type Database, type DatabaseAddress, jsonb, openDatabase } from './index.ts'
import type { ClusterConnection } from './ownership.ts'
import { Replica } from './replica.ts'

let dataDir: string
let primary: EmbeddedPostgres
let standby: Standby
let app: TestApp
/** a second process on the same database */
let other: TestApp
let admin: pg.Client

const urlOf = ({ host, port, user, password }: ClusterConnection) =>
  `postgresql://${user}:${password}@localhost/postgres?host=${encodeURIComponent(host)}&port=${port}`

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'leitstand-primary-'))
  primary = await startEmbedded({ dataDir, log: createLog('silent'), durable: false })
  standby = await Standby.of(primary.connection, join(dataDir, 'postgres'))
  admin = new pg.Client(connectionTo('standby'))
  await admin.connect()
  const address = connectionTo('primary')
  app = await startApp({ address, config: configOf() })
  other = await startApp({ address, config: configOf() })
})

afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
  await admin.end()
  await standby[Symbol.asyncDispose]()
  await primary[Symbol.asyncDispose]()
  rmSync(dataDir, { recursive: true, force: true })
})

const configOf = () => ({
  databaseReadUrl: urlOf(standby.connection(primary.connection)),
  databaseReadLagSeconds: 60,
})
const states = () => [app, other].map(({ ctx }) => ctx.reads.status()?.state)
const connectionTo = (which: 'primary' | 'standby') => ({
  ...(which === 'standby' ? standby.connection(primary.connection) : primary.connection),
  database: 'postgres',
})

/** How many operations have read from where. */
async function readsOf({ ctx }: TestApp, from: 'replica' | 'primary'): Promise<number> {
  const { values } = (await ctx.metrics.registry
    .getSingleMetric('leitstand_database_reads_total')
    ?.get()) ?? {
    values: [],
  }
  return values.find(({ labels }) => labels.from === from)?.value ?? 0
}

/** Runs work and says where its operations have read. */
async function placesOf(
  on: TestApp,
  work: () => Promise<unknown>,
): Promise<{ replica: number; primary: number }> {
  const before = [await readsOf(on, 'replica'), await readsOf(on, 'primary')] as const
  await work()
  return {
    replica: (await readsOf(on, 'replica')) - before[0],
    primary: (await readsOf(on, 'primary')) - before[1],
  }
}

const pause = () => admin.query('select pg_wal_replay_pause()')
/** The statement itself may be in the way of what is replayed then, and is cancelled for it. */
const resume = async (): Promise<void> => {
  try {
    await admin.query('select pg_wal_replay_resume()')
  } catch (error) {
    if ((error as pg.DatabaseError).code !== serializationFailure) throw error
    await resume()
  }
}
const serializationFailure = '40001'
const onReplica = { replica: 1, primary: 0 }
const onPrimary = { replica: 0, primary: 1 }

/** A user with the rights of an administrator. */
async function newAdministrator(): Promise<{ api: Api; on(server: TestApp): Api }> {
  const account = { id: app.rootAccountId, scopeId: app.rootScopeId }
  const user = await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])
  return { api: user.api, on: (server) => createApi(server.url, user.token) }
}

async function newKey(): Promise<string> {
  const roleId = await roleNamed(app, 'Account administrator')
  const { token } = await app.api.apikey.create({ title: 'Program', scopeId: app.rootScopeId, roleId })
  return token
}

const titlesOf = async (api: Api) => (await api.digitaltwin.list({})).items.map(({ title }) => title)

/** Opens a replica as the server does. */
async function watched(address: DatabaseAddress, lagMaxMs = 10_000) {
  const stack = new AsyncDisposableStack()
  const replica = stack.use(
    new Replica({ address, lagMaxMs, log: createLog('silent'), metrics: new Metrics() }),
  )
  const database = stack.use(openDatabase(connectionTo('primary'), createLog('silent'), replica))
  return { replica, database, stack }
}

const whereIn = async (database: Database) => {
  const { rows } = await sql<{ replica: boolean }>`select pg_is_in_recovery() as replica`.execute(database.db)
  return rows[0]?.replica ? 'replica' : 'primary'
}

describe('a list', () => {
  test('is read on the replica, by connections of its own', async () => {
    await expect.poll(states).toEqual(['used', 'used'])
    await expect.poll(() => placesOf(app, () => app.api.digitaltwin.list({}))).toEqual(onReplica)
    const { rows } = await admin.query(
      `select from pg_stat_activity where application_name = 'leitstand reads' and query like '%twins%'`,
    )
    expect(rows.length).toBeGreaterThan(0)
  })

  test('has what its reader has just written, in every process; that of others may come later', async () => {
    const reader = await newAdministrator()
    const program = createApiWith(app.url, { 'x-api-key': await newKey() })
    await expect
      .poll(async () => (await placesOf(app, () => reader.api.digitaltwin.list({}))).replica)
      .toBe(1)
    await pause()
    try {
      await app.api.digitaltwin.create({ title: 'just made', accountId: app.rootAccountId })
      await program.digitaltwin.create({ title: 'by a program', accountId: app.rootAccountId })
      expect(await titlesOf(program)).toContain('by a program')
      expect(await titlesOf(app.api)).toContain('just made')
      expect(await titlesOf(createApi(other.url, app.token))).toContain('just made')
      expect(await titlesOf(reader.on(app))).not.toContain('just made')
      expect(await titlesOf(reader.on(other))).not.toContain('just made')
    } finally {
      await resume()
    }
    await expect.poll(() => placesOf(app, () => app.api.digitaltwin.list({}))).toEqual(onReplica)
    expect(await titlesOf(app.api)).toContain('just made')
  })
})

test('an export has everything that was stored when it began', async () => {
  const twin = await app.api.digitaltwin.create({ title: 'Silo', accountId: app.rootAccountId })
  const state = await app.api.state.create({ dtwinId: twin.id, key: 'level', title: 'Level', source: 'none' })
  await expect.poll(() => placesOf(app, () => app.api.digitaltwin.list({}))).toEqual(onReplica)
  await pause()
  try {
    // Not written by the user who exports.
    await writeValues(app, [{ stateId: state.id, value: 7, time: '2026-06-15T06:00:00.000Z' }])
    const { id } = await app.api.exporting.one({
      objectId: twin.id,
      range: { start: '2026-06-01T00:00:00Z', end: '2026-07-01T00:00:00Z' },
    })
    await app.drain()
    expect((await app.api.job.get({ id })).file).toMatchObject({ rows: 1 })
  } finally {
    await resume()
  }
})

describe('the replica', () => {
  test('refuses to write', async () => {
    const { replica, database, stack } = await watched(connectionTo('standby'))
    await using _ = stack
    await replica.start(database)
    await expect.poll(() => replica.status().state).toBe('used')
    const writing = replica.run(undefined, () =>
      database.db
        .insertInto('settings')
        .values({ key: 'never', value: jsonb(1) })
        .execute(),
    )
    await expect(writing).rejects.toThrow(/read-only/)
  })

  test('is not used while it is too far behind, and again once it has caught up', async () => {
    const { replica, database, stack } = await watched(connectionTo('standby'), 300)
    await using _ = stack
    await replica.start(database)
    await expect.poll(() => replica.status().state).toBe('used')
    expect(await replica.run(undefined, () => whereIn(database))).toBe('replica')
    await pause()
    try {
      await expect
        .poll(async () => {
          await database.query(`select pg_logical_emit_message(false, 'test', 'goes on')`)
          return replica.status().state
        })
        .toBe('behind')
      expect(await replica.run(undefined, () => whereIn(database))).toBe('primary')
      expect(replica.status().lagMs).toBeGreaterThan(300)
    } finally {
      await resume()
    }
    await expect.poll(() => replica.run(undefined, () => whereIn(database))).toBe('replica')
  })

  test('that cancels a read because of what it replays has it read on the primary', async () => {
    const { replica, database, stack } = await watched(connectionTo('standby'))
    await using _ = stack
    await replica.start(database)
    await expect.poll(() => replica.status().state).toBe('used')
    await database.query('create table junk as select generate_series(1, 1000) as number')
    const places: (string | undefined)[] = []
    const slow = replica.run(undefined, async () => {
      places.push(await whereIn(database))
      await sql`select case when pg_is_in_recovery() then pg_sleep(60) end from schema_migrations limit 1`.execute(
        database.db,
      )
    })
    const asleep = () => admin.query(`select from pg_stat_activity where wait_event = 'PgSleep'`)
    await expect.poll(async () => (await asleep()).rows.length).toBe(1)
    await database.query('delete from junk')
    await database.query('vacuum junk')
    await slow
    expect(places).toEqual(['replica', 'primary'])
    await database.query('drop table junk')
  })

  test('that is gone is not waited for, and is used again when it is back', async () => {
    await expect.poll(states).toEqual(['used', 'used'])
    await admin.end()
    await standby.down()
    expect(await placesOf(app, () => app.api.digitaltwin.list({}))).toEqual(onPrimary)
    await expect.poll(states).toEqual(['gone', 'gone'])
    // A server starts without it.
    await using third = await startApp({ address: connectionTo('primary'), config: configOf() })
    expect(await placesOf(third, () => third.api.digitaltwin.list({}))).toEqual(onPrimary)
    await standby.up()
    admin = new pg.Client(connectionTo('standby'))
    await admin.connect()
    for (const each of [app, other, third])
      await expect.poll(() => placesOf(each, () => each.api.digitaltwin.list({}))).toEqual(onReplica)
  })

  test('is shown in the metrics', async () => {
    const text = await (await fetch(`${app.url}/metrics`)).text()
    expect(text).toMatch(/^leitstand_database_replica_used 1$/m)
    expect(text).toMatch(/^leitstand_database_replica_lag_seconds [\d.e-]+$/m)
    expect(text).toMatch(/^leitstand_database_reads_total\{from="replica"\} \d+$/m)
  })
})

describe('the start refuses', () => {
  const started = async (address: DatabaseAddress) => {
    const { replica, database, stack } = await watched(address)
    await using _ = stack
    await replica.start(database)
    return replica.status().state
  }

  test('another cluster, another database, a wrong password', async () => {
    await expect(started(await createDatabase())).rejects.toThrow(/two database clusters/)
    await expect(started({ ...connectionTo('standby'), database: 'template1' })).rejects.toThrow(
      'names the database template1',
    )
    await expect(started({ ...connectionTo('standby'), password: 'wrong' })).rejects.toThrow(
      /password authentication failed.*DATABASE_READ_URL/,
    )
  })

  test('nothing when both are the same server, but reads the primary', async () => {
    expect(await started(connectionTo('primary'))).toBe('gone')
  })

  // Last, because it is no standby any more.
  test('a server that was promoted, which is also no longer used', async () => {
    await expect.poll(states).toEqual(['used', 'used'])
    await admin.query('select pg_promote()')
    await expect.poll(states).toEqual(['gone', 'gone'])
    await expect(started(connectionTo('standby'))).rejects.toThrow(/has been promoted/)
  })
})
