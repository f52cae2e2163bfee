import { sql } from 'kysely'
import { int2Array, int4Array, int8Array, textArray } from '../db/arrays.ts'
import type { Db, Executor } from '../db/index.ts'
import type { Begun, Start } from './consumer.ts'
import { type Cursor, isBefore } from './cursor.ts'
import type { Saved } from './progress.ts'
import { sliceCount, wholeSlice } from './slices.ts'
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
 * @param limits `without`: accounts whose events are left out; 0: those without an account; `slices`: null for all
 */
export async function readBatch(
  db: Db,
  topics: readonly string[],
  cursor: Cursor,
  { limit, without, slices }: { limit: number; without: readonly number[]; slices: readonly number[] | null },
): Promise<Read> {
  const { rows } = await sql<{ horizon: string; found: number; pending: boolean; events: AsJson[] | null }>`
    /* prepared: events.readBatch */
    select * from outbox_batch(${topics as string[]}::text[], ${cursor.xid}::xid8, ${cursor.id}::bigint, ${limit}::int,
      ${batchBytesMax}::int, ${int4Array(without)}::int4[], ${sliceCount}::int,
      ${slices && int2Array(slices)}::int2[])`.execute(db)
  const row = rows[0]
  if (!row) throw new Error('the outbox did not answer')
  const events = (row.events ?? []).map(fromJson)
  const last = events.at(-1)
  const left = last !== undefined && (row.found === limit || row.found > events.length)
  const beforeHorizon = { xid: String(BigInt(row.horizon) - 1n), id: afterAll }
  const next = left ? { xid: last.xid, id: last.id } : beforeHorizon
  return { events, next, more: left || row.pending }
}

/** What a consumer reads, and how far it has come. */
export interface Reading {
  topics: readonly string[]
  cursor: Cursor
  /** null: all */
  slices: readonly number[] | null
}

/** Which of these, by their place in the list, committed events come after, also those of which it is too early to read. */
export async function findUnread(db: Db, readings: readonly Reading[]): Promise<Set<number>> {
  const { rows } = await sql<{ place: number }>`
    /* prepared: events.findUnread */
    with reading as materialized (
      select place, xid::xid8 as xid, id, topics::text[] as topics, slices::int2[] as slices
      from unnest(${int4Array(readings.map((_, place) => place))}::int4[], ${textArray(readings.map(({ cursor }) => cursor.xid))}::text[],
        ${int8Array(readings.map(({ cursor }) => cursor.id))}::int8[],
        ${textArray(readings.map(({ topics }) => `{${topics.join(',')}}`))}::text[],
        ${textArray(readings.map(({ slices }) => slices && `{${slices.join(',')}}`))}::text[])
        as r (place, xid, id, topics, slices))
    select place from reading r
    where exists (
      select from outbox o
      where (o.xid, o.id) > (r.xid, r.id) and o.topic = any(r.topics)
        and (r.slices is null or coalesce(o.account_id, 0) % ${sliceCount}::int = any(r.slices)))`.execute(db)
  return new Set(rows.map(({ place }) => place))
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
 * called this for a slice may save its progress.
 * @param slices null: this process alone handles all events
 */
export async function readStart(
  db: Db,
  consumer: string,
  slices: readonly number[] | null = null,
): Promise<Start> {
  return db.transaction().execute(async (tx) => {
    const { main, begun } =
      slices === null ? await startWhole(tx, consumer) : await startSlices(tx, consumer, slices)
    const lanes = await tx
      .selectFrom('outbox_lanes')
      .select(['account_id', 'last_xid', 'last_id'])
      .where('consumer', '=', consumer)
      .$if(slices !== null, (select) =>
        select.where(sql<boolean>`account_id % ${sliceCount}::int = any(${int2Array(slices ?? [])}::int2[])`),
      )
      .execute()
    return {
      main,
      begun,
      lanes: lanes.map((lane) => ({
        accountId: lane.account_id,
        cursor: { xid: lane.last_xid, id: lane.last_id },
      })),
    }
  })
}

interface CursorRow {
  slice: number
  last_xid: string
  last_id: number
  epoch: number
}

/** Continues where the slices had come, if there are some. */
async function startWhole(tx: Executor, consumer: string): Promise<Pick<Start, 'main' | 'begun'>> {
  const rows = await tx
    .selectFrom('outbox_cursors')
    .select(['slice', 'last_xid', 'last_id', 'epoch'])
    .where('consumer', '=', consumer)
    .forUpdate()
    .execute()
  const main = lowestOf(rows)
  await tx
    .deleteFrom('outbox_cursors')
    .where('consumer', '=', consumer)
    .where('slice', '<>', wholeSlice)
    .execute()
  const row = await tx
    .insertInto('outbox_cursors')
    .values({ consumer, slice: wholeSlice, last_xid: main.xid, last_id: main.id })
    .onConflict((conflict) =>
      conflict.columns(['consumer', 'slice']).doUpdateSet({
        last_xid: main.xid,
        last_id: main.id,
        epoch: sql`outbox_cursors.epoch + 1`,
      }),
    )
    .returning('epoch')
    .executeTakeFirstOrThrow()
  return { main, begun: [{ slice: wholeSlice, epoch: row.epoch, cursor: main }] }
}

async function startSlices(
  tx: Executor,
  consumer: string,
  slices: readonly number[],
): Promise<Pick<Start, 'main' | 'begun'>> {
  const { rows } = await sql<CursorRow>`
    insert into outbox_cursors (consumer, slice, last_xid, last_id)
    select ${consumer}::text, s.slice, coalesce(whole.last_xid, '0'), coalesce(whole.last_id, 0)
    from unnest(${int2Array(slices)}::int2[]) as s (slice)
    left join outbox_cursors whole on whole.consumer = ${consumer}::text and whole.slice = ${wholeSlice}::int2
    order by s.slice
    on conflict (consumer, slice) do update set epoch = outbox_cursors.epoch + 1
    returning slice, last_xid, last_id, epoch`.execute(tx)
  const begun = rows.map((row) => ({ slice: row.slice, epoch: row.epoch, cursor: cursorOf(row) }))
  return { main: lowest(begun.map(({ cursor }) => cursor)), begun }
}

const cursorOf = ({ last_xid: xid, last_id: id }: Pick<CursorRow, 'last_xid' | 'last_id'>): Cursor => ({
  xid,
  id,
})
const beginning: Cursor = { xid: '0', id: 0 }

function lowest(cursors: readonly Cursor[]): Cursor {
  return (
    cursors.reduce<Cursor | undefined>(
      (low, cursor) => (low === undefined || isBefore(cursor, low) ? cursor : low),
      undefined,
    ) ?? beginning
  )
}

/** Where the slice that has come the least far is; one without a cursor is where the whole was before. */
function lowestOf(rows: readonly Pick<CursorRow, 'slice' | 'last_xid' | 'last_id'>[]): Cursor {
  const slices = rows.filter(({ slice }) => slice !== wholeSlice)
  const whole = rows.find(({ slice }) => slice === wholeSlice)
  const cursors = slices.map(cursorOf)
  if (slices.length < sliceCount) cursors.push(whole ? cursorOf(whole) : beginning)
  return lowest(cursors)
}

/** Saves the progress of a consumer, except of slices that another process has taken over. */
export async function saveProgress(
  db: Db,
  consumer: string,
  begun: readonly Begun[],
  { main, lanes, dropped }: Saved,
): Promise<void> {
  const mine = sql`
    update outbox_cursors c set last_xid = ${main.xid}::xid8, last_id = ${main.id}::bigint, updated_at = now()
    from unnest(${int2Array(begun.map(({ slice }) => slice))}::int2[], ${int4Array(begun.map(({ epoch }) => epoch))}::int4[])
      as b (slice, epoch)
    where c.consumer = ${consumer} and c.slice = b.slice and c.epoch = b.epoch
      and (c.last_xid, c.last_id) <= (${main.xid}::xid8, ${main.id}::bigint)`
  if (lanes.length + dropped.length === 0) {
    await sql`/* prepared: events.saveCursor */ ${mine}`.execute(db)
    return
  }
  await sql`
    /* prepared: events.saveProgress */
    with moved as (${mine}),
    mine as (
      select c.consumer, c.slice from outbox_cursors c
      join unnest(${int2Array(begun.map(({ slice }) => slice))}::int2[], ${int4Array(begun.map(({ epoch }) => epoch))}::int4[])
        as b (slice, epoch) on c.slice = b.slice and c.epoch = b.epoch
      where c.consumer = ${consumer}),
    gone as (
      delete from outbox_lanes l using mine
      where l.consumer = mine.consumer and mine.slice in (${wholeSlice}, l.account_id % ${sliceCount}::int)
        and l.account_id = any(${int4Array(dropped)}::int4[]))
    insert into outbox_lanes (consumer, account_id, last_xid, last_id)
    select mine.consumer, n.account_id, n.xid::xid8, n.id from mine,
      unnest(${int4Array(lanes.map(({ accountId }) => accountId))}::int4[],
        ${textArray(lanes.map(({ cursor }) => cursor.xid))}::text[],
        ${int8Array(lanes.map(({ cursor }) => cursor.id))}::int8[]) as n (account_id, xid, id)
    where mine.slice in (${wholeSlice}, n.account_id % ${sliceCount}::int)
    on conflict (consumer, account_id) do update set last_xid = excluded.last_xid, last_id = excluded.last_id`.execute(
    db,
  )
}

/** Whether no other process has taken over slices of a consumer. */
export async function isBegun(db: Executor, consumer: string, begun: readonly Begun[]): Promise<boolean> {
  const { rows } = await sql<{ mine: number }>`
    /* prepared: events.isBegun */
    select count(*)::int as mine from outbox_cursors c
    join unnest(${int2Array(begun.map(({ slice }) => slice))}::int2[], ${int4Array(begun.map(({ epoch }) => epoch))}::int4[])
      as b (slice, epoch) on c.slice = b.slice and c.epoch = b.epoch
    where c.consumer = ${consumer}`.execute(db)
  return (rows[0]?.mine ?? 0) >= begun.length
}

/** Up to where all of these consumers have come, by what is stored. */
export async function lowestCursor(db: Db, consumers: readonly string[]): Promise<Cursor | undefined> {
  const rows = await db
    .selectFrom('outbox_cursors')
    .select(['consumer', 'slice', 'last_xid', 'last_id'])
    .where('consumer', 'in', consumers)
    .execute()
  const byConsumer = Map.groupBy(rows, ({ consumer }) => consumer)
  if (consumers.length === 0) return undefined
  return lowest(consumers.map((name) => lowestOf(byConsumer.get(name) ?? [])))
}

/** Whether any event is stored. */
export async function isAnyStored(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (select from outbox) as found`.execute(db)
  return rows[0]?.found ?? false
}

/**
 * Deletes the events that all of these consumers have handled.
 * @param upToCursor how far all of them have come; undefined: there is no consumer
 */
export async function deleteDone(
  db: Db,
  consumers: readonly string[],
  upToCursor: Cursor | undefined,
): Promise<void> {
  const names = textArray(consumers)
  const upTo = upToCursor
    ? sql`(xid, id) <= (${upToCursor.xid}::xid8, ${upToCursor.id}::bigint)
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
