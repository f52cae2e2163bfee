import { sql } from 'kysely'
import { int4Array, int8Array, textArray } from '../db/arrays.ts'
import type { Db, Executor } from '../db/index.ts'
import type { Start } from './consumer.ts'
import { type Cursor, isBefore } from './cursor.ts'
import type { Saved } from './progress.ts'
import type { StoredEvent } from './topic.ts'

/** Sorts after every event of a transaction; PostgreSQL's bigint holds it. */
const afterAll = Number.MAX_SAFE_INTEGER

/** An event with its position in the outbox and the stored size of its payload. */
export interface RawEvent extends StoredEvent {
  xid: string
  size: number
}

export interface Read {
  events: RawEvent[]
  /** Cursor after this batch. */
  next: Cursor
  /** More committed events of these topics remain, or events wait for an older transaction to end. */
  more: boolean
}

/** Stored size of the payloads of one batch; parsed JSON takes several times that. */
const batchBytesMax = 2_000_000

/**
 * The next events after a cursor, oldest transaction first, at most `limit` and about 2 MB. Rows of
 * transactions that an older open one could still precede are left for later.
 * @param limits `without`: accounts whose events are left out; 0: those without an account
 */
export async function readBatch(
  db: Db,
  topics: readonly string[],
  cursor: Cursor,
  { limit, without }: { limit: number; without: readonly number[] },
): Promise<Read> {
  const { rows } = await sql<{ horizon: string; found: number; pending: boolean; events: AsJson[] | null }>`
    /* prepared: events.readBatch */
    select * from outbox_batch(${topics as string[]}::text[], ${cursor.xid}::xid8, ${cursor.id}::bigint, ${limit}::int,
      ${batchBytesMax}::int, ${int4Array(without)}::int4[])`.execute(db)
  const row = rows[0]
  if (!row) throw new Error('the outbox did not answer')
  const events = (row.events ?? []).map(fromJson)
  const last = events.at(-1)
  const left = last !== undefined && (row.found === limit || row.found > events.length)
  const beforeHorizon = { xid: String(BigInt(row.horizon) - 1n), id: afterAll }
  const next = left ? { xid: last.xid, id: last.id } : beforeHorizon
  return { events, next, more: left || row.pending }
}

/**
 * The next events of one account between two cursors, at most `limit` and about 2 MB.
 * @returns `next`: null when there are no more
 */
export async function readLane(
  db: Db,
  topics: readonly string[],
  accountId: number,
  { from, to }: { from: Cursor; to: Cursor },
  limit: number,
): Promise<{ events: RawEvent[]; next: Cursor | null }> {
  const { rows } = await sql<{ found: number; events: AsJson[] | null }>`
    /* prepared: events.readLane */
    select * from outbox_lane(${topics as string[]}::text[], ${accountId}::int4, ${from.xid}::xid8, ${from.id}::bigint,
      ${to.xid}::xid8, ${to.id}::bigint, ${limit}::int, ${batchBytesMax}::int)`.execute(db)
  const events = (rows[0]?.events ?? []).map(fromJson)
  const found = rows[0]?.found ?? 0
  const last = events.at(-1)
  const left = last !== undefined && (found === limit || found > events.length)
  return { events, next: left ? { xid: last.xid, id: last.id } : null }
}

type AsJson = Omit<RawEvent, 'at'> & { at: string }

const fromJson = (event: AsJson): RawEvent => ({ ...event, at: new Date(event.at) })

/**
 * The progress of a consumer; a new one starts at the first event in the outbox. Only the last process that
 * called this may save progress.
 */
export async function readStart(db: Db, consumer: string): Promise<Start> {
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .insertInto('outbox_cursors')
      .values({ consumer })
      .onConflict((conflict) =>
        conflict.column('consumer').doUpdateSet({ epoch: sql`outbox_cursors.epoch + 1` }),
      )
      .returning(['last_xid', 'last_id', 'epoch'])
      .executeTakeFirstOrThrow()
    const lanes = await tx
      .selectFrom('outbox_lanes')
      .select(['account_id', 'last_xid', 'last_id'])
      .where('consumer', '=', consumer)
      .execute()
    return {
      epoch: row.epoch,
      main: { xid: row.last_xid, id: row.last_id },
      lanes: lanes.map((lane) => ({
        accountId: lane.account_id,
        cursor: { xid: lane.last_xid, id: lane.last_id },
      })),
    }
  })
}

/** Saves the progress of a consumer, unless another process has taken over. */
export async function saveProgress(
  db: Db,
  consumer: string,
  epoch: number,
  { main, lanes, dropped }: Saved,
): Promise<void> {
  if (lanes.length + dropped.length === 0) {
    await sql`
      /* prepared: events.saveCursor */
      update outbox_cursors set last_xid = ${main.xid}::xid8, last_id = ${main.id}::bigint, updated_at = now()
      where consumer = ${consumer} and epoch = ${epoch}::int4`.execute(db)
    return
  }
  await sql`
    /* prepared: events.saveProgress */
    with mine as (
      update outbox_cursors set last_xid = ${main.xid}::xid8, last_id = ${main.id}::bigint, updated_at = now()
      where consumer = ${consumer} and epoch = ${epoch}::int4 returning consumer),
    gone as (
      delete from outbox_lanes l using mine
      where l.consumer = mine.consumer and l.account_id = any(${int4Array(dropped)}::int4[]))
    insert into outbox_lanes (consumer, account_id, last_xid, last_id)
    select mine.consumer, n.account_id, n.xid::xid8, n.id from mine,
      unnest(${int4Array(lanes.map(({ accountId }) => accountId))}::int4[],
        ${textArray(lanes.map(({ cursor }) => cursor.xid))}::text[],
        ${int8Array(lanes.map(({ cursor }) => cursor.id))}::int8[]) as n (account_id, xid, id)
    on conflict (consumer, account_id) do update set last_xid = excluded.last_xid, last_id = excluded.last_id`.execute(
    db,
  )
}

/** Deletes the events that all of these consumers have handled. */
export async function deleteDone(
  db: Db,
  consumers: readonly { name: string; cursor: Cursor }[],
): Promise<void> {
  const lowest = consumers.reduce<Cursor | undefined>(
    (low, { cursor }) => (low === undefined || isBefore(cursor, low) ? cursor : low),
    undefined,
  )
  const names = textArray(consumers.map(({ name }) => name))
  const upTo = lowest
    ? sql`(xid, id) <= (${lowest.xid}::xid8, ${lowest.id}::bigint)
        and not exists (select from outbox_lanes l where l.consumer = any(${names}::text[])
          and l.account_id = coalesce(o.account_id, 0) and (o.xid, o.id) > (l.last_xid, l.last_id))`
    : sql`xid < pg_snapshot_xmin(pg_current_snapshot())`
  await sql`delete from outbox o where ${upTo}`.execute(db)
  await sql`
    delete from outbox_handled h where not exists (select from outbox o where o.id = h.event_id)
      and not exists (select from outbox_failures f where f.consumer = h.consumer and f.event_id = h.event_id)`.execute(
    db,
  )
}

/** Records events as handled by a consumer. @returns those not recorded before */
export async function noteHandled(
  tx: Executor,
  consumer: string,
  eventIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await sql<{ event_id: number }>`
    /* prepared: events.noteHandled */
    insert into outbox_handled (consumer, event_id)
    select ${consumer}::text, id from unnest(${int8Array(eventIds)}::int8[]) as e (id) order by id
    on conflict do nothing returning event_id`.execute(tx)
  return new Set(rows.map(({ event_id: id }) => id))
}

/**
 * Transaction numbers start over in a restored database, where the old cursors would hide every new event. In
 * that case all cursors are reset and the remaining events are handled (again).
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
    await sql`delete from outbox_lanes`.execute(tx)
  })
}
