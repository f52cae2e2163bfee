import type { DeliveryReason } from '@leitstand/contract/rules/deliveries'
import { sql } from 'kysely'
import type { Executor } from '../../../../platform/db/index.ts'
import type { DeliveryState, Progress } from './follow.ts'

export type DeliveryKind = 'webhook' | 'connector-command' | 'push'

/** What is sent; its shape depends on the kind. */
export interface DeliveryContent {
  readonly webhook: { contentType: string; body: string; isTest: boolean }
  readonly push: { subscriptionId: number; title: string; body: string; url: string; tag: string }
  readonly 'connector-command': { topic: string; payload: string }
}

export type NewDelivery = {
  [K in DeliveryKind]: {
    readonly kind: K
    readonly accountId: number
    readonly connectorId: number | null
    readonly content: DeliveryContent[K]
  }
}[DeliveryKind]

export type DeliveryRow = Progress & {
  readonly id: number
  readonly correlation: string
} & NewDelivery

const columns = sql`
  d.id, d.correlation, d.account_id as "accountId", d.kind, d.connector_id as "connectorId", d.content, d.state, d.reason,
  d.detail, d.attempts, d.next_attempt_at as "nextAttemptAt", d.valid_until as "validUntil", d.ended_at as "endedAt"`

/** Queues deliveries, due at once. @returns their ids in the same order */
export async function insertDeliveries(
  tx: Executor,
  rows: readonly NewDelivery[],
  now: Date,
  validUntil: Date,
): Promise<number[]> {
  if (rows.length === 0) return []
  const { rows: made } = await sql<{ id: number }>`
    insert into rule_deliveries (account_id, kind, connector_id, content, created_at, valid_until, next_attempt_at)
    select account_id, kind, connector_id, content::jsonb, ${now}, ${validUntil}, ${now}
    from unnest(${rows.map(({ accountId }) => accountId)}::int[], ${rows.map(({ kind }) => kind)}::text[],
      ${rows.map(({ connectorId }) => connectorId)}::int[], ${rows.map(({ content }) => JSON.stringify(content))}::text[])
      with ordinality as n (account_id, kind, connector_id, content, place)
    order by place
    returning id`.execute(tx)
  return made.map(({ id }) => id).sort((a, b) => a - b)
}

/** Number of waiting deliveries by account. */
export async function countWaiting(
  db: Executor,
  accountIds: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; waiting: number }>`
    select account_id as id, count(*)::int as waiting from rule_deliveries
    where state = 'queued' and account_id = any(${[...accountIds]}::int[]) group by account_id`.execute(db)
  return new Map(rows.map(({ id, waiting }) => [id, waiting]))
}

/**
 * Claims attempts, which belong to the caller until `until`; accounts take turns. Concurrent processes get
 * different rows.
 */
export async function claimDue(
  tx: Executor,
  now: Date,
  until: Date,
  { max, ofAccountMax }: { max: number; ofAccountMax: number },
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    with accounts as (select distinct account_id from rule_deliveries where state = 'queued'),
    ranked as (
      select w.id, row_number() over (partition by w.account_id order by w.next_attempt_at, w.id) as place
      from accounts a cross join lateral (
        select id, account_id, next_attempt_at from rule_deliveries
        where account_id = a.account_id and state = 'queued' and attempt_until is null
          and next_attempt_at <= ${now} and valid_until > ${now}
        order by next_attempt_at, id limit ${ofAccountMax}) w
    ), due as (
      select d.id from rule_deliveries d join ranked r on r.id = d.id
      where d.state = 'queued' and d.attempt_until is null
      order by r.place, d.id limit ${max}
      for update of d skip locked
    )
    update rule_deliveries d set attempts = d.attempts + 1, attempt_until = ${until}, next_attempt_at = ${until}
    from due where due.id = d.id
    returning ${columns}`.execute(tx)
  return rows
}

/** Deliveries whose attempt was never finished, or that waited too long; locked. */
export async function lockLost(
  tx: Executor,
  now: Date,
  limit: number,
): Promise<(DeliveryRow & { isInterrupted: boolean })[]> {
  const { rows } = await sql<DeliveryRow & { isInterrupted: boolean }>`
    select ${columns}, d.attempt_until is not null as "isInterrupted" from rule_deliveries d
    where d.state = 'queued' and d.next_attempt_at <= ${now}
      and (d.attempt_until <= ${now} or (d.attempt_until is null and d.valid_until <= ${now}))
    order by d.next_attempt_at, d.id limit ${limit} for update skip locked`.execute(tx)
  return rows
}

/** Stores the progress of a delivery whose attempt has ended. */
export async function writeProgress(tx: Executor, id: number, progress: Progress): Promise<void> {
  await sql`
    update rule_deliveries set state = ${progress.state}, reason = ${progress.reason}, detail = ${progress.detail},
      next_attempt_at = ${progress.nextAttemptAt}, attempt_until = null, ended_at = ${progress.endedAt}
    where id = ${id} and state = 'queued'`.execute(tx)
}

export interface DeliveryStanding {
  readonly state: DeliveryState
  readonly reason: DeliveryReason | null
  readonly detail: string
}

/** What became of deliveries, by id; those deleted because of their age are missing. */
export async function readStandings(
  db: Executor,
  ids: readonly number[],
): Promise<Map<number, DeliveryStanding>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<DeliveryStanding & { id: number }>`
    select id, state, reason, detail from rule_deliveries where id = any(${[...ids]}::bigint[])`.execute(db)
  return new Map(rows.map(({ id, ...standing }) => [id, standing]))
}

/** Deletes what has ended long ago. */
export async function deleteOldDeliveries(
  tx: Executor,
  accountId: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from rule_deliveries where id = any(array(
      select id from rule_deliveries
      where account_id = ${accountId} and created_at < ${before} and state <> 'queued' limit ${limit}))`.execute(
    tx,
  )
  return Number(numAffectedRows ?? 0)
}
