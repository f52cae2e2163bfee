import type { Alarm } from '@leitstand/contract/alarms'
import type { JsonValue } from '@leitstand/contract/common'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import type { AlarmTimes, CauseAlarm, CauseState, Waiting } from './machine.ts'
import type { AlarmCategory, AlarmSeverity, AlarmSource } from './store.ts'

/** What an alarm can be about besides rules, and why. */
export interface Cause {
  source: Exclude<AlarmSource, 'rule'>
  /** the twin or device; null: a connector or the platform */
  twinId: number | null
  connectorId: number | null
  /** which of its causes: the entry of the health, the group, … */
  cause: string
}

/** One alarm of each key is open at most. */
export function keyOf({ source, twinId, connectorId, cause }: Cause): string {
  return `${source}:${twinId ?? connectorId ?? ''}:${cause}`
}

/** Where a twin or connector belongs; who may see its alarms. */
export interface Place {
  accountId: number
  scopeId: number
  /** what it is */
  category: Alarm['originCategory']
}

/** The places of twins that exist. */
export async function readTwinPlaces(tx: Executor, ids: readonly number[]): Promise<Map<number, Place>> {
  if (ids.length === 0) return new Map()
  const rows = await tx
    .selectFrom('twins')
    .select(['id', 'account_id', 'scope_id', 'category'])
    .where('id', '=', anyOf(ids))
    .execute()
  return new Map(
    rows.map(({ id, account_id: accountId, scope_id: scopeId, category }) => [
      id,
      { accountId, scopeId, category: category as Place['category'] },
    ]),
  )
}

/** The places of connectors that exist. */
export async function readConnectorPlaces(tx: Executor, ids: readonly number[]): Promise<Map<number, Place>> {
  if (ids.length === 0) return new Map()
  const rows = await tx
    .selectFrom('connectors')
    .select(['id', 'account_id', 'scope_id'])
    .where('id', '=', anyOf(ids))
    .execute()
  return new Map(
    rows.map(({ id, account_id: accountId, scope_id: scopeId }) => [
      id,
      { accountId, scopeId, category: 'connector' as const },
    ]),
  )
}

/** The place of alarms of the platform itself. */
export async function readRootPlace(tx: Executor): Promise<Place> {
  const { id: scopeId, account_id: accountId } = await tx
    .selectFrom('scopes')
    .select(['id', 'account_id'])
    .where('parent_id', 'is', null)
    .executeTakeFirstOrThrow()
  return { accountId, scopeId, category: 'platform' }
}

/**
 * What is known of causes, locked until the transaction ends; those without an alarm are left out.
 * @param keys sorted: everyone locks in the same order
 * @param since alarms resolved before are of the past
 */
export async function lockCauses(
  tx: Executor,
  keys: readonly string[],
  since: Date,
): Promise<Map<string, CauseState>> {
  const states = new Map<string, CauseState>()
  const waits = await tx
    .selectFrom('alarm_waiting')
    .selectAll()
    .where('cause_key', '=', sql<string>`any(${[...keys]}::text[])`)
    .orderBy('cause_key')
    .forUpdate()
    .execute()
  for (const { cause_key: key, opens, at, due_at: dueAt, ...row } of waits) {
    const waiting: Waiting = opens ? { opens, at, dueAt, ...contentOf(row) } : { opens, at, dueAt }
    states.set(key, { alarm: null, waiting })
  }
  const alarms = await tx
    .selectFrom('alarms')
    .select([
      'id',
      'cause_key',
      'severity',
      'category',
      'message',
      'details',
      'raised_at',
      'last_raised_at',
      'resolved_at',
      'occurrences',
      'acknowledged_at',
    ])
    .where('cause_key', '=', sql<string>`any(${[...keys]}::text[])`)
    .where(({ eb, or }) => or([eb('resolved_at', 'is', null), eb('resolved_at', '>=', since)]))
    .orderBy('id')
    .forUpdate()
    .execute()
  for (const row of alarms) {
    const alarm: CauseAlarm = {
      id: row.id,
      raisedAt: row.raised_at,
      lastRaisedAt: row.last_raised_at ?? row.raised_at,
      resolvedAt: row.resolved_at,
      occurrences: row.occurrences,
      isAcknowledged: row.acknowledged_at !== null,
      ...contentOf(row),
    }
    // The newest is the last, and an open one is newer than those that are resolved.
    const key = row.cause_key as string
    states.set(key, { alarm, waiting: states.get(key)?.waiting ?? null })
  }
  return states
}

function contentOf(row: { severity: string; category: string; message: string; details: unknown }) {
  return {
    severity: row.severity as AlarmSeverity,
    category: row.category as AlarmCategory,
    message: row.message,
    details: row.details as Record<string, JsonValue>,
  }
}

/** Which of these causes, that are about no twin or connector, have an open alarm. @returns its severity, by cause */
export async function readOpenCauses(
  tx: Executor,
  source: Cause['source'],
  causes: readonly string[],
): Promise<Map<string, AlarmSeverity>> {
  const byKey = new Map(
    causes.map((cause) => [keyOf({ source, twinId: null, connectorId: null, cause }), cause]),
  )
  const rows = await tx
    .selectFrom('alarms')
    .select(['cause_key', 'severity'])
    .where('cause_key', '=', sql<string>`any(${[...byKey.keys()]}::text[])`)
    .where('resolved_at', 'is', null)
    .execute()
  return new Map(
    rows.map(({ cause_key: key, severity }) => [byKey.get(key ?? '') ?? '', severity as AlarmSeverity]),
  )
}

/** A new or changed alarm of a cause. */
export interface AlarmToWrite {
  cause: Cause
  accountId: number
  alarm: CauseAlarm
}

/** Gives new alarms their numbers, in this order. */
export async function numberAlarms(tx: Executor, alarms: readonly CauseAlarm[]): Promise<void> {
  const fresh = alarms.filter(({ id }) => id === null)
  if (fresh.length === 0) return
  const { rows } = await sql<{ id: number }>`
    select nextval('alarms_id_seq') as id from generate_series(1, ${fresh.length}::int)`.execute(tx)
  for (const [index, alarm] of fresh.entries()) alarm.id = Number(rows[index]?.id)
}

/** Stores new alarms, which have their numbers already. */
export async function insertCauseAlarms(tx: Executor, alarms: readonly AlarmToWrite[]): Promise<void> {
  if (alarms.length === 0) return
  const column = <T>(value: (each: AlarmToWrite) => T): T[] => alarms.map(value)
  await sql`
    insert into alarms (id, account_id, twin_id, connector_id, source, cause_key, category, severity, message, details,
      raised_at, last_raised_at, resolved_at, occurrences) overriding system value
    select * from unnest(${column(({ alarm }) => alarm.id)}::bigint[], ${column(({ accountId }) => accountId)}::int[],
      ${column(({ cause }) => cause.twinId)}::int[], ${column(({ cause }) => cause.connectorId)}::int[],
      ${column(({ cause }) => cause.source)}::text[], ${column(({ cause }) => keyOf(cause))}::text[],
      ${column(({ alarm }) => alarm.category)}::text[], ${column(({ alarm }) => alarm.severity)}::text[],
      ${column(({ alarm }) => alarm.message)}::text[],
      ${column(({ alarm }) => JSON.stringify(alarm.details))}::jsonb[],
      ${column(({ alarm }) => alarm.raisedAt)}::timestamptz[],
      ${column(({ alarm }) => alarm.lastRaisedAt)}::timestamptz[],
      ${column(({ alarm }) => alarm.resolvedAt)}::timestamptz[],
      ${column(({ alarm }) => alarm.occurrences)}::int[])`.execute(tx)
}

/** Stores how alarms are now. */
export async function updateCauseAlarms(tx: Executor, alarms: readonly CauseAlarm[]): Promise<void> {
  if (alarms.length === 0) return
  const column = <T>(value: (each: CauseAlarm) => T): T[] => alarms.map(value)
  await sql`
    update alarms a set category = n.category, severity = n.severity, message = n.message, details = n.details,
      last_raised_at = n.last_raised_at, resolved_at = n.resolved_at, occurrences = n.occurrences,
      acknowledged_at = case when n.acknowledged then a.acknowledged_at end,
      acknowledged_by = case when n.acknowledged then a.acknowledged_by end,
      acknowledged_name = case when n.acknowledged then a.acknowledged_name end
    from unnest(${column(({ id }) => id)}::bigint[], ${column(({ category }) => category)}::text[],
      ${column(({ severity }) => severity)}::text[], ${column(({ message }) => message)}::text[],
      ${column(({ details }) => JSON.stringify(details))}::jsonb[],
      ${column(({ lastRaisedAt }) => lastRaisedAt)}::timestamptz[],
      ${column(({ resolvedAt }) => resolvedAt)}::timestamptz[],
      ${column(({ occurrences }) => occurrences)}::int[],
      ${column(({ isAcknowledged }) => isAcknowledged)}::bool[])
      as n (id, category, severity, message, details, last_raised_at, resolved_at, occurrences, acknowledged)
    where a.id = n.id`.execute(tx)
}

/** What waits from now on. */
export interface WaitingToWrite {
  cause: Cause
  accountId: number
  /** null: nothing any more */
  waiting: Waiting | null
}

export async function writeWaiting(tx: Executor, changes: readonly WaitingToWrite[]): Promise<void> {
  const ended = changes.filter(({ waiting }) => waiting === null).map(({ cause }) => keyOf(cause))
  if (ended.length > 0)
    await sql`delete from alarm_waiting where cause_key = any(${ended}::text[])`.execute(tx)
  const begun = changes.flatMap(({ waiting, ...each }) => (waiting === null ? [] : [{ ...each, waiting }]))
  if (begun.length === 0) return
  const nothing = { severity: 'warning', category: 'unknown', message: '', details: {} } as const
  await tx
    .insertInto('alarm_waiting')
    .values(
      begun.map(({ cause, accountId, waiting }) => {
        const { severity, category, message, details } = waiting.opens ? waiting : nothing
        return {
          cause_key: keyOf(cause),
          account_id: accountId,
          twin_id: cause.twinId,
          connector_id: cause.connectorId,
          source: cause.source,
          opens: waiting.opens,
          at: waiting.at,
          due_at: waiting.dueAt,
          severity,
          category,
          message,
          details: JSON.stringify(details),
        }
      }),
    )
    .onConflict((conflict) =>
      conflict.column('cause_key').doUpdateSet(({ ref }) => ({
        opens: ref('excluded.opens'),
        at: ref('excluded.at'),
        due_at: ref('excluded.due_at'),
        severity: ref('excluded.severity'),
        category: ref('excluded.category'),
        message: ref('excluded.message'),
        details: ref('excluded.details'),
      })),
    )
    .execute()
}

/** Locks causes whose time has come, the oldest first; skips those that others hold. */
export async function takeDueCauses(tx: Executor, now: Date, limit: number): Promise<Cause[]> {
  const rows = await tx
    .selectFrom('alarm_waiting')
    .select(['cause_key', 'source', 'twin_id', 'connector_id'])
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  return rows.map(({ cause_key: key, source, twin_id: twinId, connector_id: connectorId }) => {
    const prefix = `${source}:${twinId ?? connectorId ?? ''}:`
    return { source: source as Cause['source'], twinId, connectorId, cause: key.slice(prefix.length) }
  })
}

/** When the next one is due; null: nothing waits. */
export async function nextDueCause(db: Executor): Promise<Date | null> {
  const row = await db
    .selectFrom('alarm_waiting')
    .select(({ fn }) => fn.min('due_at').as('at'))
    .executeTakeFirst()
  return row?.at ?? null
}

export const defaultTimes: AlarmTimes = { openAfterMs: 0, resolveAfterMs: 0, reopenWithinMs: 600_000 }

/** The times of accounts: their own, or those of the nearest above them that has some. */
export async function readTimes(
  tx: Executor,
  accountIds: readonly number[],
): Promise<Map<number, AlarmTimes>> {
  const { rows } = await sql<{ id: number; opens: number; resolves: number; reopens: number }>`
    with recursive up as (
      select a.id, a.id as at_id, a.parent_id, 0 as depth from accounts a where a.id = any(${[...accountIds]}::int[])
      union all
      select up.id, a.id, a.parent_id, up.depth + 1 from up join accounts a on a.id = up.parent_id)
    select distinct on (up.id) up.id, s.open_after_s as opens, s.resolve_after_s as resolves,
      s.reopen_within_s as reopens
    from up join alarm_settings s on s.account_id = up.at_id order by up.id, up.depth`.execute(tx)
  const own = new Map(
    rows.map(({ id, opens, resolves, reopens }) => [
      id,
      { openAfterMs: opens * 1000, resolveAfterMs: resolves * 1000, reopenWithinMs: reopens * 1000 },
    ]),
  )
  return new Map(accountIds.map((id) => [id, own.get(id) ?? defaultTimes]))
}
