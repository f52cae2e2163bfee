import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDatabase } from '../../../test/kit.ts'
import { createLog } from '../log.ts'
import { type Database, openDatabase } from './index.ts'
import { Writer } from './writer.ts'

const log = createLog('silent')
let database: Database
let writer: Writer

beforeEach(async () => {
  const address = await createDatabase()
  database = openDatabase(address, log)
  writer = new Writer(address, log)
  await sql`create table things (id integer primary key, name text not null)`.execute(database.db)
})

afterEach(async () => {
  await writer[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const insert = (id: number, name: string) => sql`
  /* prepared: test.insert */
  insert into things (id, name) values (${id}::int, ${name}::text)`

async function names(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from things order by id`.execute(database.db)
  return rows.map(({ name }) => name)
}

test('what is sent without waiting is committed in order, and later statements see it', async () => {
  const seen = await writer.transaction(async ({ db, send }) => {
    void send(insert(1, 'a'))
    void send(insert(2, 'b'))
    const { rows } = await sql<{ count: number }>`select count(*) as count from things`.execute(db)
    void send(insert(3, 'c'))
    return rows[0]?.count
  })
  expect(seen).toBe(2)
  expect(await names()).toEqual(['a', 'b', 'c'])
})

test('each caller gets its own answers', async () => {
  const rows = await writer.transaction(({ send }) =>
    send(sql<{ double: number }>`select 2 * ${21}::int as double`),
  )
  expect(rows).toEqual([{ double: 42 }])
})

test('a statement nobody waits for fails the whole transaction with its own reason', async () => {
  const failing = writer.transaction(async ({ send }) => {
    void send(insert(1, 'a'))
    void send(insert(1, 'again'))
    void send(insert(2, 'b'))
  })
  await expect(failing).rejects.toMatchObject({ code: '23505', table: 'things' })
  expect(await names()).toEqual([])
  await writer.transaction(async ({ send }) => void send(insert(1, 'later')))
  expect(await names()).toEqual(['later'])
})

test('work that throws takes back what was sent', async () => {
  const failing = writer.transaction(async ({ send }) => {
    await send(insert(1, 'a'))
    throw new Error('changed my mind')
  })
  await expect(failing).rejects.toThrow('changed my mind')
  expect(await names()).toEqual([])
})

test('a call that is not waited for does not run outside of its transaction', async () => {
  let late: Promise<unknown> = Promise.resolve()
  await writer.transaction(async ({ db }) => {
    late = expect(insert(1, 'a').execute(db)).rejects.toThrow('has ended')
  })
  await late
  expect(await names()).toEqual([])
})

test('transactions run one after the other', async () => {
  const order: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = writer.transaction(async ({ send }) => {
    order.push('first begins')
    await gate.promise
    await send(insert(1, 'a'))
    order.push('first ends')
  })
  const second = writer.transaction(async ({ send }) => {
    order.push('second begins')
    await send(insert(2, 'b'))
  })
  gate.resolve()
  await Promise.all([first, second])
  expect(order).toEqual(['first begins', 'first ends', 'second begins'])
})

test('a lost connection fails the transaction under way, and the next has a new one', async () => {
  const failing = writer.transaction(async ({ db, send }) => {
    void send(insert(1, 'a'))
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
    await sql`select pg_terminate_backend(${rows[0]?.pid}::int)`.execute(database.db)
    await send(insert(2, 'b'))
  })
  await expect(failing).rejects.toThrow()
  await writer.transaction(async ({ send }) => void send(insert(3, 'c')))
  expect(await names()).toEqual(['c'])
})
