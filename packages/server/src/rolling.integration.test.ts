import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../test/kit.ts'
import { NatsServer } from '../test/nats.ts'
import { createDevice, createDriver } from '../test/pipeline.ts'
import { migrationsFolder } from './platform/db/location.ts'
import { type Migration, readMigrations } from './platform/db/migrate.ts'

/** What takes a round of a node, or a lease that moves. */
const soon = { timeout: 60_000 }

const today = readMigrations(migrationsFolder)
const next = [
  migration(1, 'adds.sql', 'create table added (id integer); alter table twins add column added text'),
  migration(2, 'removes.contract.sql', 'alter table added drop column id'),
]

function migration(offset: number, name: string, text: string): Migration {
  const number = today.length + offset
  return {
    number,
    name: `${String(number).padStart(4, '0')}_${name}`,
    sql: text,
    checksum: createHash('sha256').update(text).digest('hex'),
    isContract: name.endsWith('.contract.sql'),
  }
}

let nats: NatsServer
beforeAll(async () => {
  nats = await NatsServer.start()
})
afterAll(() => nats[Symbol.asyncDispose]())

/** A node with all roles; `version` are the migrations it knows. */
const node = (nodeName: string, version: readonly Migration[], address?: TestApp['address']) =>
  startApp({
    config: { nats: { servers: [nats.url] }, nodeName, allowedNetworks: ['127.0.0.0/8'] },
    migrations: version,
    ...(address === undefined ? {} : { address }),
  })

test('nodes of two versions work together while the schema moves forward', async () => {
  const old = await node('a', today)
  const { id, key } = await old.api.bridge.create({
    accountId: old.rootAccountId,
    kind: 'webhook-in',
    name: 'Webhook',
    settings: { preset: 'standard', template: '' },
  })
  const script = 'function decodeUplink({ bytes }) { return { data: { level: bytes[0] } } }'
  const driver = await createDriver(old, script, [{ key: 'level', valueType: 'number' }])
  await createDevice(old, { id, accountId: old.rootAccountId, scopeId: old.rootScopeId }, 'A1', driver)
  let sent = 0
  const send = async (app: TestApp) => {
    const level = ++sent
    const reply = await fetch(`${app.url}/api/hooks/${key}`, {
      method: 'POST',
      body: JSON.stringify({ identifier: 'A1', data: level.toString(16).padStart(2, '0') }),
      headers: { 'content-type': 'application/json' },
    })
    expect(reply.status).toBe(200)
  }
  const db = old.ctx.db
  const levels = async () => {
    const { rows } = await sql<{ num: number }>`
      select v.num from state_values v join states s on s.id = v.state_id where s.key = 'level'
      order by v.time, v.num`.execute(db)
    return rows.map(({ num }) => num)
  }
  const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)
  const columns = async () => {
    const { rows } = await sql<{ name: string }>`
      select column_name as name from information_schema.columns where table_name = 'added'`.execute(db)
    return rows.map(({ name }) => name)
  }
  await send(old)

  // The first node of the new version adds; what the old one needs stays.
  const first = await node('b', [...today, ...next], old.address)
  expect(await columns()).toEqual(['id'])
  await send(old)
  await send(first)
  await expect.poll(levels, soon).toEqual(upTo(sent))
  const seen = () =>
    first.ctx.nodes
      .members()
      .filter(({ isAlive }) => isAlive)
      .map(({ name }) => name)
  await expect.poll(seen, soon).toEqual(['a', 'b'])

  // An old node may be restarted meanwhile.
  await old[Symbol.asyncDispose]()
  const again = await node('a', today, old.address)
  expect(await again.ctx.db.selectFrom('accounts').select('id').execute()).toHaveLength(1)
  await send(again)

  // When the last of them has left, the new version removes what only they needed.
  await again[Symbol.asyncDispose]()
  const columnsNow = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from information_schema.columns where table_name = 'added'`.execute(
      first.ctx.db,
    )
    return rows[0]?.count
  }
  await expect.poll(columnsNow, soon).toBe(0)
  await expect(node('a', today, old.address)).rejects.toThrow('start the newer version again')
  await send(first)
  const stored = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from state_values v join states s on s.id = v.state_id where s.key = 'level'`.execute(
      first.ctx.db,
    )
    return rows[0]?.count
  }
  await expect.poll(stored, soon).toBe(sent)
  // Before NATS, which it says goodbye to.
  await first[Symbol.asyncDispose]()
})
