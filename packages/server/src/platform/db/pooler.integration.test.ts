import { sql } from 'kysely'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, startApp, type TestApp } from '../../../test/kit.ts'
import { startPgbouncer } from '../../../test/pgbouncer.ts'
import { createConnector, createDevice, currentOf } from '../../../test/pipeline.ts'
import { createState, writeValues } from '../../../test/twins.ts'
import { createLog } from '../log.ts'
import { TimeLimit, withTimeLimit } from '../timeLimit.ts'
import {
  type Database,
  type DatabaseAddress,
  isStatementTimeout,
  openDatabase,
  statementTimeoutMs,
} from './index.ts'
import { pooled } from './pooler.ts'

let direct: DatabaseAddress & { host: string; database: string }
let through: DatabaseAddress & { host: string; database: string }
let app: TestApp

const urlOf = (address: object) => {
  const { host, port, user, password = '', database } = address as Record<string, string>
  return `postgresql://${user}:${password}@localhost/${database}?host=${encodeURIComponent(host ?? '')}&port=${port}`
}

/** A start through pgbouncer that is expected to fail. */
const refused = (config: { databaseDirectUrl?: string }) =>
  expect(startApp({ address: through, config })).rejects

beforeAll(async () => {
  direct = (await createDatabase({ started: true })) as typeof direct
  await withClient(direct, `alter database ${direct.database} set timezone = 'Asia/Tokyo'`)
  through = (await startPgbouncer(direct as never)) as typeof through
  app = await startApp({ address: through, config: { databaseDirectUrl: urlOf(direct) } })
})

async function withClient(address: DatabaseAddress, text: string) {
  const client = new pg.Client(address)
  await client.connect()
  try {
    return await client.query(text)
  } finally {
    await client.end()
  }
}

async function shown({ db }: Pick<Database, 'db'>) {
  const { rows } = await sql<{ ms: number; zone: string }>`
    select (extract(epoch from current_setting('statement_timeout')::interval) * 1000)::int as ms,
      current_setting('timezone') as zone`.execute(db)
  return rows[0]
}

describe('the platform behind pgbouncer in transaction mode', () => {
  test('stores, derives, announces and runs jobs', async () => {
    const { api } = app
    const connector = await createConnector(app)
    const device = await createDevice(app, connector, 'A1')
    const state = await createState(app, device, 'level')
    await writeValues(app, [{ stateId: state, value: 7, time: new Date() }])
    const twins = Array.from({ length: 30 }, (_, index) => index)
    await Promise.all(
      twins.map((index) => api.digitaltwin.create({ title: `Twin ${index}`, accountId: app.rootAccountId })),
    )
    const { id } = await api.exporting.one({
      objectId: device,
      range: {
        start: new Date(Date.now() - 3_600_000).toISOString(),
        end: new Date(Date.now() + 60_000).toISOString(),
      },
    })
    await app.drain()
    expect((await api.job.get({ id })).file).toMatchObject({ rows: 1 })
    expect(await currentOf(app, device)).toEqual({ level: 7 })
    expect((await api.digitaltwin.list({ limit: 100 })).total).toBe(30)
  })

  test('has a time limit for each statement, which no other one inherits', async () => {
    const database = app.ctx
    expect(await shown(database)).toEqual({ ms: statementTimeoutMs, zone: 'UTC' })
    await withTimeLimit(new TimeLimit(7_000), async () => expect((await shown(database))?.ms).toBe(7_000))
    await withTimeLimit(new TimeLimit(50), async () => {
      await expect(sql`select pg_sleep(60)`.execute(database.db)).rejects.toSatisfy(isStatementTimeout)
    })
    await withTimeLimit(new TimeLimit(50), async () => {
      const slow = database.db.transaction().execute((tx) => sql`select pg_sleep(60)`.execute(tx))
      await expect(slow).rejects.toSatisfy(isStatementTimeout)
    })
    expect(await shown(database)).toEqual({ ms: statementTimeoutMs, zone: 'UTC' })
    const { rows } = await withClient(through, `select current_setting('statement_timeout') as ms`)
    expect(rows[0].ms).toBe('0')
  })

  test('keeps what a transaction has done, all of it or nothing', async () => {
    const { db } = app.ctx
    await sql`create table kept (number int primary key)`.execute(db)
    const failing = db.transaction().execute(async (tx) => {
      await sql`insert into kept values (1)`.execute(tx)
      await sql`insert into kept values (1)`.execute(tx)
    })
    await expect(failing).rejects.toThrow(/duplicate key/)
    await expect(sql`insert into kept select 2 / 0`.execute(db)).rejects.toThrow(/division by zero/)
    await sql`insert into kept values (${3})`.execute(db)
    const nothing = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
    await expect(nothing.execute((tx) => sql`insert into kept values (4)`.execute(tx))).rejects.toThrow(
      /read-only/,
    )
    const { rows } = await sql`select number from kept`.execute(db)
    expect(rows).toEqual([{ number: 3 }])
    await sql`drop table kept`.execute(db)
  })
})

describe('the start refuses', () => {
  test('a pooler without the address of the database itself', async () => {
    await refused({}).toThrow('also set DATABASE_DIRECT_URL')
  })

  test('a pooler where the database itself must be', async () => {
    await refused({ databaseDirectUrl: urlOf(through) }).toThrow(
      'DATABASE_DIRECT_URL leads to a connection pooler',
    )
  })

  test('two databases', async () => {
    await refused({ databaseDirectUrl: urlOf(await createDatabase()) }).toThrow('two databases')
  })

  test('nothing when a database is opened through it', async () => {
    await using database = openDatabase(pooled(through), createLog('silent'))
    expect(await shown(database)).toEqual({ ms: statementTimeoutMs, zone: 'UTC' })
  })
})
