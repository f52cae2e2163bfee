import type { ErrorCode } from '@leitstand/contract/errors'
import { parseSearch } from '@leitstand/contract/search'
import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import { matchesTexts } from '../../platform/db/textFilter.ts'
import { storableJson } from '../../platform/storable.ts'
import type { MessageOrigin, RejectedMessage } from '../ingest/index.ts'
import { viewOf } from '../objects/index.ts'

export const letterLimits = {
  /** maximum letters of a connector */
  perConnectorMax: 20_000,
  /** maximum bytes of the bodies of a connector's letters */
  bytesPerConnectorMax: 268_435_456,
  /** maximum characters of a body in a list */
  listedBodyMax: 4096,
  /** maximum characters of a body that are searched */
  searchedBodyMax: 8192,
  /** letters of one connector counted or deleted by filter; equals the maximum stored */
  deletedAtOnce: 20_000,
} as const

/** A message that could not be used. */
export interface LetterRow {
  id: number
  receivedAt: Date
  identifier: string | null
  deviceId: number | null
  reason: string
  detail: string
  body: string
  /** metadata of the message; empty for letters of older versions */
  meta: Partial<MessageOrigin>
  attempts: number
  lastAttemptAt: Date | null
}

/** Selects letters of a connector by id or by filter. */
export interface LetterFilter {
  ids?: readonly number[] | undefined
  reason?: string | undefined
  identifier?: string | undefined
  from?: string | undefined
  to?: string | undefined
  search?: string | undefined
  /** the newest matching id */
  untilId?: number | undefined
}

/** Keeps messages that could not be used. */
export async function insertLetters(tx: Executor, letters: readonly RejectedMessage[]): Promise<void> {
  const column = <K extends keyof RejectedMessage>(key: K) => letters.map((letter) => letter[key])
  await sql`
    insert into dead_letters (received_at, account_id, connector_id, device_id, identifier, reason, detail, body, meta)
    select * from unnest(${column('receivedAt')}::timestamptz[], ${column('accountId')}::int[],
      ${column('connectorId')}::int[], ${column('deviceId')}::int[], ${column('identifier')}::text[],
      ${column('reason')}::text[], ${column('detail')}::text[], ${column('body')}::text[],
      ${letters.map(({ meta }) => storableJson(JSON.stringify(meta)))}::jsonb[])`.execute(tx)
}

/** Identifiers are stored as in the message; they are compared without case and separators. */
const bareIdentifier = sql`lower(regexp_replace(identifier, '[\\s:.-]', '', 'g'))`

function matching(connectorId: number, filter: LetterFilter): RawBuilder<boolean> {
  const conditions = [sql<boolean>`connector_id = ${connectorId}`]
  if (filter.ids) conditions.push(sql`id = any(${[...filter.ids]}::bigint[])`)
  if (filter.untilId !== undefined) conditions.push(sql`id <= ${filter.untilId}`)
  if (filter.reason !== undefined) conditions.push(sql`reason = ${filter.reason}`)
  if (filter.identifier !== undefined) {
    const bare = filter.identifier.replace(/[\s:.-]/g, '').toLowerCase()
    conditions.push(sql`${bareIdentifier} = ${bare}`)
  }
  if (filter.from !== undefined) conditions.push(sql`received_at >= ${filter.from}::timestamptz`)
  if (filter.to !== undefined) conditions.push(sql`received_at < ${filter.to}::timestamptz`)
  const search = parseSearch(filter.search)
  if (search) {
    const body = sql`left(body, ${letterLimits.searchedBodyMax}::int)`
    conditions.push(matchesTexts([sql`identifier`, sql`detail`, sql`meta ->> 'topic'`], search, body))
  }
  return sql.join(conditions, sql` and `) as RawBuilder<boolean>
}

const columns = (body: RawBuilder<unknown>) => sql`
  id, received_at as "receivedAt", identifier, device_id as "deviceId", reason, detail, ${body} as body, meta, attempts,
  last_attempt_at as "lastAttemptAt"`

const cutBody = sql`left(body, ${letterLimits.listedBodyMax}::int)`

/** Letters of a connector, newest first, with the counts by reason for the filter without its reason. */
export async function listLetters(
  db: Executor,
  connectorId: number,
  filter: LetterFilter & { offset: number; limit: number },
): Promise<{
  items: LetterRow[]
  total: number
  byReason: { reason: string; count: number }[]
  newestId: number | null
}> {
  const { reason: wanted, ...others } = filter
  const { rows: byReason } = await sql<{ reason: string; count: number }>`
    select reason, count(*)::int as count from dead_letters where ${matching(connectorId, others)}
    group by reason order by count desc, reason`.execute(db)
  const { rows: items } = await sql<LetterRow>`
    select ${columns(cutBody)} from dead_letters where ${matching(connectorId, filter)}
    order by id desc limit ${filter.limit} offset ${filter.offset}`.execute(db)
  const { rows: newest } = await sql<{ id: number | null }>`
    select max(id) as id from dead_letters where connector_id = ${connectorId}`.execute(db)
  const total = byReason
    .filter(({ reason }) => wanted === undefined || reason === wanted)
    .reduce((sum, { count }) => sum + count, 0)
  return { items, total, byReason, newestId: newest[0]?.id ?? null }
}

/** Reasons of dead letters of this device, without duplicates, the latest first. */
export async function listReasons(
  db: Executor,
  connectorId: number,
  identifier: string,
): Promise<{ reason: string; at: Date }[]> {
  const { rows } = await sql<{ reason: string; at: Date }>`
    select reason, max(received_at) as at from dead_letters where ${matching(connectorId, { identifier })}
    group by reason order by 2 desc`.execute(db)
  return rows
}

/** A letter with its full body. */
export async function findLetter(
  db: Executor,
  connectorId: number,
  id: number,
): Promise<LetterRow | undefined> {
  const { rows } = await sql<LetterRow>`
    select ${columns(sql`body`)} from dead_letters where connector_id = ${connectorId} and id = ${id}`.execute(
    db,
  )
  return rows[0]
}

/** Counts letters; later ones have higher ids than `newestId`. */
export async function countLetters(
  db: Executor,
  connectorId: number,
  filter: LetterFilter,
): Promise<{ count: number; newestId: number }> {
  const { rows } = await sql<{ count: number; newestId: number | null }>`
    select count(*)::int as count, max(id) as "newestId" from dead_letters
    where ${matching(connectorId, filter)}`.execute(db)
  return { count: rows[0]?.count ?? 0, newestId: rows[0]?.newestId ?? 0 }
}

/**
 * The next letters to replay, oldest first.
 * @param bytesMax a page ends with the letter that exceeds this many bytes of bodies
 */
export async function nextLetters(
  db: Executor,
  connectorId: number,
  filter: LetterFilter,
  afterId: number,
  limit: number,
  bytesMax: number,
): Promise<LetterRow[]> {
  const { rows } = await sql<LetterRow>`
    select ${columns(sql`body`)} from (
      select *, sum(body_bytes) over (order by id) - body_bytes as before from (
        select * from dead_letters where ${matching(connectorId, filter)} and id > ${afterId}
        order by id limit ${limit}) as candidates) as page
    where before < ${bytesMax} order by id`.execute(db)
  return rows
}

/** @returns the number of deleted letters */
export async function deleteLetters(
  tx: Executor,
  connectorId: number,
  filter: LetterFilter,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from dead_letters where ${matching(connectorId, filter)}`.execute(tx)
  return Number(numAffectedRows ?? 0n)
}

/** A letter that failed again. */
export interface FailedAgain {
  id: number
  identifier: string | null
  reason: ErrorCode
  detail: string
}

/** Stores new reasons and counts the attempt. */
export async function noteFailures(tx: Executor, letters: readonly FailedAgain[], now: Date): Promise<void> {
  if (letters.length === 0) return
  await sql`
    update dead_letters d set reason = f.reason, detail = f.detail, identifier = coalesce(f.identifier, d.identifier),
      attempts = d.attempts + 1, last_attempt_at = ${now}
    from unnest(${letters.map(({ id }) => id)}::bigint[], ${letters.map(({ identifier }) => identifier)}::text[],
      ${letters.map(({ reason }) => reason)}::text[], ${letters.map(({ detail }) => detail)}::text[])
      as f (id, identifier, reason, detail)
    where d.id = f.id`.execute(tx)
}

/** A failed packet of a letter, stored separately because other packets succeeded. */
export interface LetterPart extends Omit<FailedAgain, 'id'> {
  letterId: number
  body: string
  meta: MessageOrigin
}

/** Replaces partially successful letters by their failed parts. */
export async function splitLetters(tx: Executor, parts: readonly LetterPart[], now: Date): Promise<void> {
  if (parts.length === 0) return
  await sql`
    insert into dead_letters (received_at, account_id, connector_id, device_id, identifier, reason, detail, body, meta,
      attempts, last_attempt_at)
    select d.received_at, d.account_id, d.connector_id, null, p.identifier, p.reason, p.detail, p.body, p.meta::jsonb,
      d.attempts + 1, ${now}
    from unnest(${parts.map(({ letterId }) => letterId)}::bigint[], ${parts.map(({ identifier }) => identifier)}::text[],
      ${parts.map(({ reason }) => reason)}::text[], ${parts.map(({ detail }) => detail)}::text[],
      ${parts.map(({ body }) => body)}::text[], ${parts.map(({ meta }) => JSON.stringify(meta))}::text[])
      with ordinality as p (letter_id, identifier, reason, detail, body, meta, n)
    join dead_letters d on d.id = p.letter_id order by p.n`.execute(tx)
  const ids = [...new Set(parts.map(({ letterId }) => letterId))]
  await sql`delete from dead_letters where id = any(${ids}::bigint[])`.execute(tx)
}

/** Deletes letters in the transaction that stores their packets. */
export async function removeLetters(tx: Executor, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`delete from dead_letters where id = any(${[...ids]}::bigint[])`.execute(tx)
}

/**
 * Finds packets that were stored before the period in which keys are remembered: same device, time, counter
 * and payload. Only packets with a time from their source can be recognised.
 */
export async function findStored(
  db: Executor,
  connectorId: number,
  packets: readonly { key: string; time: Date; fCnt: number | null; payload: string; since: Date }[],
): Promise<boolean[]> {
  if (packets.length === 0) return []
  const { rows } = await sql<{ n: number }>`
    select w.n::int as n
    from unnest(${packets.map(({ key }) => key)}::text[], ${packets.map(({ time }) => time)}::timestamptz[],
      ${packets.map(({ fCnt }) => fCnt)}::bigint[], ${packets.map(({ payload }) => payload)}::text[],
      ${packets.map(({ since }) => since)}::timestamptz[])
      with ordinality as w (key, time, f_cnt, payload, since, n)
    join virtual_devices v on v.connector_id = ${connectorId} and v.external_id = w.key
    where exists (
      select from packets p where p.device_id = v.twin_id and p.received_at >= w.since and p.time = w.time
        and p.f_cnt is not distinct from w.f_cnt and p.payload = w.payload)
    or exists (
      select from packet_days d cross join lateral packets_of_day(d.packets) p
      where d.device_id = v.twin_id and d.last_at >= w.since and d.first_at >= date_trunc('day', w.since, 'UTC')
        and p.time = w.time and p.f_cnt is not distinct from w.f_cnt and p.payload = w.payload)`.execute(db)
  const found = new Set(rows.map(({ n }) => n))
  return packets.map((_packet, index) => found.has(index + 1))
}

/**
 * Deletes the oldest letters of connectors beyond the limits of number and bytes.
 * @param connectorIds absent: all
 */
export async function trimLetters(
  db: Executor,
  keep: { letters: number; bytes: number },
  connectorIds?: readonly number[],
): Promise<void> {
  await sql`
    with bounds as materialized (
      select c.id as connector_id, (
        select max(l.id) from (
          select id, row_number() over w as letters, sum(body_bytes) over w as bytes
          from dead_letters where connector_id = c.id window w as (order by id desc)
        ) as l where l.letters > ${keep.letters} or (l.bytes > ${keep.bytes} and l.letters > 1)) as last_id
      from ${viewOf('connectors')} c ${connectorIds === undefined ? sql`` : sql`where c.id = any(${[...connectorIds]}::int[])`})
    delete from dead_letters d using bounds b
    where b.last_id is not null and d.connector_id = b.connector_id and d.id <= b.last_id`.execute(db)
}
