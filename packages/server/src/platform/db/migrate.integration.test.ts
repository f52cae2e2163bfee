import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { describeTables } from '../../../scripts/types.ts'
import { createDatabase } from '../../../test/kit.ts'
import { createLog } from '../log.ts'
import { openDatabase } from './index.ts'
import { migrate, readMigrations } from './migrate.ts'

let folder: string
let client: pg.Client
const opened: pg.Client[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'leitstand-migrations-'))
  write('0001_first.sql', 'create table one (id integer);')
  write('0002_second.sql', 'create table two (id integer); insert into two values (1);')
  client = await connect(await createDatabase({ migrated: false }))
})
afterEach(async () => {
  for (const one of opened.splice(0)) await one.end()
  rmSync(folder, { recursive: true, force: true })
})

const write = (name: string, sql: string) => writeFileSync(join(folder, name), sql)
const run = () => migrate(client, readMigrations(folder))

async function connect(address: pg.ClientConfig): Promise<pg.Client> {
  const connection = new pg.Client(address)
  await connection.connect()
  opened.push(connection)
  return connection
}

async function tables(): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  )
  return rows.map(({ name }) => name)
}

describe('migrate', () => {
  test('applies what is missing, once', async () => {
    expect(await run()).toEqual([1, 2])
    expect(await run()).toEqual([])
    write('0003_third.sql', 'create table three (id integer)')
    expect(await run()).toEqual([3])
    expect(await tables()).toEqual(['one', 'schema_migrations', 'three', 'two'])
  })

  test('a migration that fails leaves nothing of itself and those before it', async () => {
    write('0003_third.sql', 'create table three (id integer); select 1/0')
    await expect(run()).rejects.toThrow('Migration 0003_third.sql failed: division by zero')
    expect(await tables()).toEqual(['one', 'schema_migrations', 'two'])
  })

  test('a text that changed after it was applied is refused', async () => {
    await run()
    write('0001_first.sql', 'create table one (id bigint);')
    await expect(run()).rejects.toThrow('made from another text of migration 0001_first.sql')
  })

  test('a database of a newer version is refused and not touched', async () => {
    write('0003_third.sql', 'create table three (id integer)')
    await run()
    rmSync(join(folder, '0003_third.sql'))
    await expect(run()).rejects.toThrow('The database has schema 3, this version of Leitstand knows 2')
  })

  test('what removes something can wait, and with it everything after it', async () => {
    write('0003_third.contract.sql', 'drop table one')
    write('0004_fourth.sql', 'create table four (id integer)')
    const careful = () => migrate(client, readMigrations(folder), { mayContract: false })
    expect(await careful()).toEqual([1, 2])
    expect(await careful()).toEqual([])
    expect(await run()).toEqual([3, 4])
  })

  test('an older version goes on beside a newer one until that has removed something', async () => {
    write('0003_third.sql', 'create table three (id integer)')
    await run()
    const old = readMigrations(folder).slice(0, 2)
    const beside = () => migrate(client, old, { mayContract: false, mayBeBehind: true })
    expect(await beside()).toEqual([])
    await expect(migrate(client, old)).rejects.toThrow('start the newer version again')
    write('0004_fourth.contract.sql', 'drop table one')
    await run()
    await expect(beside()).rejects.toThrow('The database has schema 4, this version of Leitstand knows 2')
  })

  test('a missing number is noticed', () => {
    write('0004_fourth.sql', '')
    expect(() => readMigrations(folder)).toThrow('number 3 is missing')
  })

  test('a number that is used twice is noticed', () => {
    write('0002_another.sql', '')
    expect(() => readMigrations(folder)).toThrow('number 2 is used twice')
  })

  test('servers that start at the same time take turns', async () => {
    const { host, port, user, password } = inject('database')
    const other = await connect({ host, port, user, password, database: client.database as string })
    const results = await Promise.all([run(), migrate(other, readMigrations(folder))])
    expect(results.map((numbers) => numbers.length).sort()).toEqual([0, 2])
  })

  test('needs no superuser', async () => {
    const role = `plain_${Math.random().toString(36).slice(2)}`
    await client.query(`create role ${role} login nosuperuser password 'plain'; alter schema public owner to ${role};
      grant create on database ${client.database} to ${role}`)
    const { host, port } = inject('database')
    const plain = await connect({
      host,
      port,
      user: role,
      password: 'plain',
      database: client.database as string,
    })
    const all = readMigrations(new URL('../../../migrations', import.meta.url).pathname)
    expect(await migrate(plain, all)).toHaveLength(all.length)
    await client.query(`reassign owned by ${role} to leitstand; drop owned by ${role}; drop role ${role}`)
  })
})

test('the generated types describe the migrated database; if not: npm run types', async () => {
  const { db } = openDatabase(await createDatabase(), createLog('silent'))
  const text = await describeTables(db)
  await db.destroy()
  await expect(text).toMatchFileSnapshot('./types.gen.ts')
})

test('what is planned in a new installation does not read all twins, devices and states', async () => {
  const fresh = await connect(await createDatabase())
  for (const question of ['twins where id = 1', 'virtual_devices where twin_id = 1', 'states where id = 1']) {
    const { rows } = await fresh.query<Record<'QUERY PLAN', string>>(`explain select from ${question}`)
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('Index')
  }
})
