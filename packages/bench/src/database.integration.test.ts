import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SharedDatabase } from './cluster/database.ts'
import { isBehind, openDatabase } from './database.ts'
import { temporaryFolder } from './platform.ts'

const opened = new AsyncDisposableStack()
let client: pg.Client

beforeAll(async () => {
  const folder = opened.use(temporaryFolder())
  const database = opened.use(await SharedDatabase.start(folder.path))
  client = opened.use(await openDatabase(database.config ?? {}))
  await client.query(`
    create temporary table outbox (xid xid8, id bigint, topic text, account_id int);
    create temporary table outbox_cursors (consumer text, slice smallint, last_xid xid8, last_id bigint);
    create temporary table outbox_lanes (consumer text, account_id int)`)
})

afterAll(() => opened.disposeAsync())

beforeEach(async () => {
  await client.query('truncate outbox, outbox_cursors, outbox_lanes')
  // The account 18 is in slice 2.
  await client.query(`insert into outbox values ('100', 7, 'values.stored', 18)`)
})

const cursor = (slice: number, xid: number) =>
  client.query('insert into outbox_cursors values ($1, $2, $3, 0)', ['rules', slice, String(xid)])

const isRulesBehind = () => isBehind(client, [['rules', 'values.stored']])

describe('rules are behind', () => {
  it('on a node alone while its cursor is before an event', async () => {
    await cursor(-1, 100)
    expect(await isRulesBehind()).toBe(true)
  })

  it('on several nodes while the cursor of its slice is before an event', async () => {
    await cursor(-1, 50)
    await cursor(1, 101)
    await cursor(2, 100)
    expect(await isRulesBehind()).toBe(true)
  })

  it('while an account has a lane', async () => {
    await cursor(-1, 101)
    await client.query(`insert into outbox_lanes values ('rules', 18)`)
    expect(await isRulesBehind()).toBe(true)
  })
})

describe('rules are not behind', () => {
  it('on a node alone when its cursor is past every event', async () => {
    await cursor(-1, 101)
    expect(await isRulesBehind()).toBe(false)
  })

  it('on several nodes when the cursor of the slice is past it, wherever the one of a node alone has stayed', async () => {
    await cursor(-1, 50)
    await cursor(2, 101)
    expect(await isRulesBehind()).toBe(false)
  })

  it('by events of other topics', async () => {
    await cursor(-1, 50)
    await client.query(`update outbox set topic = 'packet.received'`)
    expect(await isRulesBehind()).toBe(false)
  })
})
