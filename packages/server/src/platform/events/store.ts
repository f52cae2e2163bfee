import { sql } from 'kysely'
import type { Db } from '../db/index.ts'
import { jsonb } from '../db/index.ts'
import type { StoredEvent } from './topic.ts'

/** Place in the outbox: transaction (as text, it has 64 bits) and event. Everything up to it is handled. */
export interface Cursor {
  xid: string
  id: number
}

/** Later than every event of a transaction; PostgreSQL's bigint holds it. */
const afterAll = Number.MAX_SAFE_INTEGER

export interface Batch {
  events: (StoredEvent & { xid: string })[]
  /** Cursor after this batch. */
  next: Cursor
  /** Committed events of these topics are left over, or events wait for an older transaction to end. */
  more: boolean
}

/** Stored size of the payloads of one batch; unpacked as JSON it is several times that. */
const batchBytesMax = 2_000_000

/**
 * The next events after a cursor, oldest transaction first, at most `limit` and about 2 MB. Rows of transactions that
 * could still be overtaken by an open older one are left for later.
 */
export async function readBatch(
  db: Db,
  topics: readonly string[],
  cursor: Cursor,
  limit: number,
): Promise<Batch> {
  const wanted = sql`topic = any(${topics as string[]})`
  const { rows } = await sql<{ horizon: string; found: number; pending: boolean; events: RawEvent[] | null }>`
    /* prepared: events.readBatch */
    with horizon as materialized (select pg_snapshot_xmin(pg_current_snapshot()) as xid),
    found as materialized (
      select id, xid, topic, version, account_id, payload, at, pg_column_size(payload) as size from outbox
      where (xid, id) > (${cursor.xid}::xid8, ${cursor.id}::bigint)
        and xid < (select xid from horizon) and ${wanted}
      order by xid, id limit ${limit}),
    measured as (select *, sum(size) over (order by xid, id) - size as before from found),
    batch as (select * from measured where before < ${batchBytesMax})
    select (select xid::text from horizon) as horizon,
      (select count(*) from found) as found,
      exists (select from outbox where xid >= (select xid from horizon) and ${wanted}) as pending,
      (select json_agg(json_build_object('id', id, 'xid', xid::text, 'topic', topic, 'version', version,
        'accountId', account_id, 'payload', payload, 'at', at) order by xid, id) from batch) as events`.execute(
    db,
  )
  const row = rows[0]
  if (!row) throw new Error('the outbox did not answer')
  const events = (row.events ?? []).map((event) => ({ ...event, at: new Date(event.at) }))
  const last = events.at(-1)
  const left = last !== undefined && (row.found === limit || row.found > events.length)
  const beforeHorizon = { xid: String(BigInt(row.horizon) - 1n), id: afterAll }
  const next = left ? { xid: last.xid, id: last.id } : beforeHorizon
  return { events, next, more: left || row.pending }
}

type RawEvent = Omit<StoredEvent, 'at'> & { at: string; xid: string }

/** How far a consumer has come; one that is new begins at the first event there is. */
export async function readCursor(db: Db, consumer: string): Promise<Cursor> {
  const row = await db
    .insertInto('outbox_cursors')
    .values({ consumer })
    .onConflict((conflict) => conflict.column('consumer').doUpdateSet({ consumer }))
    .returning(['last_xid', 'last_id'])
    .executeTakeFirstOrThrow()
  return { xid: row.last_xid, id: row.last_id }
}

/** Notes how far a consumer has come. */
export async function writeCursor(db: Db, consumer: string, cursor: Cursor): Promise<void> {
  await sql`
    /* prepared: events.writeCursor */
    update outbox_cursors set last_xid = ${cursor.xid}::xid8, last_id = ${cursor.id}::bigint, updated_at = now()
    where consumer = ${consumer}`.execute(db)
}

/** Deletes what every cursor has passed. */
export async function deleteDone(db: Db, cursors: readonly Cursor[]): Promise<void> {
  const lowest = cursors.reduce<Cursor | undefined>(
    (low, cursor) => (low === undefined || isBefore(cursor, low) ? cursor : low),
    undefined,
  )
  const upTo = lowest
    ? sql`(xid, id) <= (${lowest.xid}::xid8, ${lowest.id}::bigint)`
    : sql`xid < pg_snapshot_xmin(pg_current_snapshot())`
  await sql`delete from outbox where ${upTo}`.execute(db)
}

function isBefore(a: Cursor, b: Cursor): boolean {
  const order = BigInt(a.xid) - BigInt(b.xid)
  return order < 0n || (order === 0n && a.id < b.id)
}

/** Puts an event aside that its consumer could not handle. */
export async function park(
  db: Db,
  consumer: string,
  event: StoredEvent,
  error: string,
  attempts: number,
): Promise<void> {
  await db
    .insertInto('outbox_failures')
    .values({
      consumer,
      event_id: event.id,
      topic: event.topic,
      version: event.version,
      account_id: event.accountId,
      payload: jsonb(event.payload as object),
      error,
      attempts,
    })
    .onConflict((conflict) => conflict.columns(['consumer', 'event_id']).doNothing())
    .execute()
}

/**
 * Transaction numbers start anew in a restored database, and cursors of the old one would hide every new event.
 * Then all cursors go back to the beginning and what waits is handled (again).
 */
export async function rescueAfterRestore(db: Db): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ foreign: boolean }>`
      select exists (select from outbox_cursors where last_xid > pg_snapshot_xmax(pg_current_snapshot()))
          or exists (select from outbox where xid > pg_snapshot_xmax(pg_current_snapshot())) as foreign`.execute(
      tx,
    )
    if (!rows[0]?.foreign) return
    await sql`update outbox set xid = '1'`.execute(tx)
    await sql`update outbox_cursors set last_xid = '0', last_id = 0`.execute(tx)
  })
}
