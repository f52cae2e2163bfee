import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase } from '../../../test/kit.ts'
import { createLog } from '../log.ts'
import { type Database, type DatabaseAddress, openConnection, openDatabase } from './index.ts'
import { ConfigChanges } from './notices.ts'

let address: DatabaseAddress
let database: Database

beforeAll(async () => {
  address = await createDatabase()
  database = openDatabase(address, createLog('silent'))
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
})

const end = (pid: number) => database.pool.query('select pg_terminate_backend($1)', [pid])

describe('a connection that is lost', () => {
  test('while a transaction has it and waits for something else fails that transaction only', async () => {
    const { db, pool } = database
    const lost = Promise.withResolvers<void>()
    pool.once('connect', (client) => client.once('end', () => lost.resolve()))
    const broken = db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
      await end(rows[0]?.pid ?? 0)
      await lost.promise
      await sql`select 1`.execute(tx)
    })
    await expect(broken).rejects.toThrow(/connection/i)
    const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db)
    expect(rows).toEqual([{ one: 1 }])
  })

  test('and that nobody listens to ends no process', async () => {
    const client = await openConnection(address, 'lost')
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
    await end(rows[0]?.pid ?? 0)
    await ended
    await expect(client.query('select 1')).rejects.toThrow()
  })

  test('and announces changes is replaced by one other, which has everybody look again', async () => {
    await using changes = new ConfigChanges(address, createLog('silent'))
    const heard: unknown[] = []
    changes.on('twins', (ids) => heard.push(ids))
    await changes.start()
    const pids = async () => {
      const { rows } = await database.pool.query<{ pid: number }>(
        `select pid from pg_stat_activity
        where datname = current_database() and application_name = 'leitstand config changes'`,
      )
      return rows.map(({ pid }) => pid)
    }
    const [before = 0] = await pids()
    await end(before)
    await expect.poll(() => heard).toEqual(['*'])
    await changes.settle()
    const after = await pids()
    expect(after).toHaveLength(1)
    expect(after).not.toContain(before)
  })
})
