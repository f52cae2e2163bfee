import { sql } from 'kysely'
import { int8Array } from '../db/arrays.ts'
import { type Db, type Executor, jsonb } from '../db/index.ts'
import { storableText } from '../storable.ts'
import type { RawEvent } from './store.ts'
import type { StoredEvent } from './topic.ts'

/** Maximum length of a stored reason. */
const reasonCharsMax = 2_000
/** Parked events kept for each account, and for how long. */
const keptMax = 1_000
const keptDays = 30

/** A parked event whose retry was requested. */
export interface ParkedEvent {
  parkedId: number
  event: RawEvent
}

/** Parks an event that its consumer failed to handle. */
export async function parkFirst(
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
      error: reasonOf(error),
      attempts,
      event_at: event.at,
    })
    .onConflict((conflict) => conflict.columns(['consumer', 'event_id']).doNothing())
    .execute()
}

/** A parked event failed again: it waits for the next request. */
export async function parkAgain(db: Db, parkedId: number, error: string, attempts: number): Promise<void> {
  await db
    .updateTable('outbox_failures')
    .set({ error: reasonOf(error), attempts: sql`attempts + ${attempts}`, retry: false })
    .where('id', '=', parkedId)
    .execute()
}

export async function removeParked(db: Executor, parkedIds: readonly number[]): Promise<void> {
  await sql`delete from outbox_failures where id = any(${int8Array(parkedIds)}::int8[])`.execute(db)
}

export interface ParkedName {
  id: number
  consumer: string
  topic: string
}

/** Marks parked events for a retry. */
export async function markRetry(tx: Executor, parkedIds: readonly number[]): Promise<ParkedName[]> {
  const { rows } = await sql<ParkedName>`
    update outbox_failures set retry = true where id = any(${int8Array(parkedIds)}::int8[])
    returning id, consumer, topic`.execute(tx)
  return rows
}

export async function discardParked(tx: Executor, parkedIds: readonly number[]): Promise<ParkedName[]> {
  const { rows } = await sql<ParkedName>`
    delete from outbox_failures where id = any(${int8Array(parkedIds)}::int8[])
    returning id, consumer, topic`.execute(tx)
  return rows
}

/** Names of the consumers that have parked events to retry. */
export async function consumersToRetry(db: Db): Promise<Set<string>> {
  const rows = await db
    .selectFrom('outbox_failures')
    .select('consumer')
    .distinct()
    .where('retry', '=', true)
    .execute()
  return new Set(rows.map(({ consumer }) => consumer))
}

/** Parked events of a consumer to retry, oldest first. */
export async function readRetries(db: Db, consumer: string, limit: number): Promise<ParkedEvent[]> {
  const rows = await db
    .selectFrom('outbox_failures')
    .select(['id', 'event_id', 'topic', 'version', 'account_id', 'payload', 'event_at', 'at'])
    .select(sql<number>`pg_column_size(payload)`.as('size'))
    .where('consumer', '=', consumer)
    .where('retry', '=', true)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    parkedId: row.id,
    event: {
      id: row.event_id,
      xid: '0',
      topic: row.topic,
      version: row.version,
      accountId: row.account_id,
      payload: row.payload,
      at: row.event_at ?? row.at,
      size: row.size,
    },
  }))
}

/** Deletes parked events that are too old, or beyond the limit of an account. */
export async function deleteOldParked(db: Db): Promise<void> {
  await sql`
    delete from outbox_failures where at < now() - make_interval(days => ${keptDays}) or id in (
      select id from (
        select id, row_number() over (partition by account_id order by id desc) as nth from outbox_failures) as f
      where nth > ${keptMax})`.execute(db)
}

function reasonOf(error: string): string {
  return storableText(error.slice(0, reasonCharsMax))
}
