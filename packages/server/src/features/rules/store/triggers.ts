import type { ExecutionCause, ManyTwins } from '@leitstand/contract/rules'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import {
  fencesOf,
  type Triggered,
  type Waiting,
  waitingOf,
  wakingStatesOf,
  watchesOf,
} from '../triggers/index.ts'
import type { Watch } from '../triggers/types.ts'
import type { Place } from '../wakes.ts'
import { writeFences } from './fences.ts'

interface TriggeredRow extends Triggered {
  active: boolean
  many: ManyTwins | null
}

/** Stores what wakes a rule. A rule that is not active waits for nothing. */
export async function writeTriggers(
  tx: Executor,
  ruleId: number,
  rule: TriggeredRow,
  now: Date,
): Promise<void> {
  const { twinId, timeZone } = await placeOf(tx, ruleId)
  await writeStates(tx, ruleId, wakingStatesOf(rule))
  // What a rule for many watches of its twins is stored with these.
  const watches = watchesOf(rule, twinId ?? 0).filter(({ kind }) => rule.many === null || kind === 'rule')
  // Rules of templates watch no others.
  if (twinId !== null) await writeWatches(tx, { ruleId, twinId }, watches)
  await writeWaiting(tx, { ruleId, twinId }, rule.active ? waitingOf(rule, now, timeZone) : [], now)
  const fences = rule.active ? fencesOf(rule) : []
  await writeFences(
    tx,
    { ruleId, isForMany: rule.many !== null },
    fences.map(({ fence }) => fence),
  )
}

/** @returns `twinId` null: it is of a template */
async function placeOf(tx: Executor, ruleId: number): Promise<{ twinId: number | null; timeZone: string }> {
  const row = await tx
    .selectFrom('rules')
    .innerJoin('accounts', 'accounts.id', 'rules.account_id')
    .select(['rules.twin_id', 'accounts.time_zone'])
    .where('rules.id', '=', ruleId)
    .executeTakeFirstOrThrow()
  return { twinId: row.twin_id, timeZone: row.time_zone }
}

async function writeStates(tx: Executor, ruleId: number, stateIds: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('rule_triggers')
    .where('rule_id', '=', ruleId)
    .where('state_id', '!=', sql<number>`all(${[...stateIds]}::int[])`)
    .execute()
  await sql`
    insert into rule_triggers (rule_id, state_id)
    select ${ruleId}, state_id from unnest(${[...stateIds]}::int[]) as s (state_id)
    on conflict do nothing`.execute(tx)
}

async function writeWatches(
  tx: Executor,
  { ruleId, twinId }: Place,
  watches: readonly Watch[],
): Promise<void> {
  await tx.deleteFrom('rule_watches').where('rule_id', '=', ruleId).execute()
  if (watches.length === 0) return
  const rows = watches.map(({ kind, id, below }) => ({
    rule_id: ruleId,
    twin_id: twinId,
    kind,
    object_id: id,
    below,
  }))
  await tx.insertInto('rule_watches').values(rows).execute()
}

/** Silences count from the last value of the state, but not from before the rule was stored. */
async function writeWaiting(
  tx: Executor,
  { ruleId, twinId }: WaitingPlace,
  waiting: readonly Waiting[],
  now: Date,
): Promise<void> {
  await tx.deleteFrom('rule_due').where('rule_id', '=', ruleId).execute()
  if (waiting.length === 0) return
  const rows = waiting.map((each) =>
    'dueAt' in each
      ? { rule_id: ruleId, twin_id: twinId, trigger: each.trigger, due_at: each.dueAt }
      : {
          rule_id: ruleId,
          twin_id: twinId,
          trigger: each.trigger,
          due_at: new Date(now.getTime() + each.silence.ms),
          state_id: each.silence.stateId,
          silence_ms: each.silence.ms,
        },
  )
  await tx.insertInto('rule_due').values(rows).execute()
}

/** Where a trigger waits for the clock; `twinId` null: on all twins of a rule that belongs to none. */
interface WaitingPlace {
  ruleId: number
  twinId: number | null
}

/** A trigger whose time has come. */
export interface DueRow extends WaitingPlace {
  trigger: number
  accountId: number
  /** only of a silence */
  stateId: number | null
  silenceMs: number | null
  /** time of the value after which the silence was reported */
  reported: Date | null
  /** time of the state's current value */
  newest: Date | null
}

/** Takes triggers that are due, locked until the transaction ends; those that another process has taken are left out. */
export async function takeDue(tx: Executor, now: Date, limit: number): Promise<DueRow[]> {
  const { rows } = await sql<{
    rule_id: number
    twin_id: number | null
    trigger: number
    account_id: number
    state_id: number | null
    silence_ms: number | null
    reported: Date | null
    newest: Date | null
  }>`
    select d.rule_id, d.twin_id, d.trigger, r.account_id, d.state_id, d.silence_ms, d.reported, c.time as newest
    from rule_due d join rules r on r.id = d.rule_id left join state_current c on c.state_id = d.state_id
    where d.due_at <= ${now}
    order by d.due_at limit ${limit}
    for update of d skip locked`.execute(tx)
  return rows.map((row) => ({
    ruleId: row.rule_id,
    twinId: row.twin_id,
    trigger: row.trigger,
    accountId: row.account_id,
    stateId: row.state_id,
    silenceMs: row.silence_ms === null ? null : Number(row.silence_ms),
    reported: row.reported,
    newest: row.newest,
  }))
}

/** When a trigger is due next; null: never again. */
export interface NextDue extends WaitingPlace {
  trigger: number
  dueAt: Date | null
  reported: Date | null
}

export async function saveNextDue(tx: Executor, rows: readonly NextDue[]): Promise<void> {
  const again = rows.filter(({ dueAt }) => dueAt !== null)
  const over = rows.filter(({ dueAt }) => dueAt === null)
  if (again.length > 0) {
    await sql`
      update rule_due d set due_at = n.due_at, reported = n.reported
      from unnest(${again.map(({ ruleId }) => ruleId)}::int[], ${again.map(({ twinId }) => twinId)}::int[], ${again.map(({ trigger }) => trigger)}::int[],
        ${again.map(({ dueAt }) => dueAt)}::timestamptz[], ${again.map(({ reported }) => reported)}::timestamptz[])
        as n (rule_id, twin_id, trigger, due_at, reported)
      where d.rule_id = n.rule_id and d.twin_id is not distinct from n.twin_id and d.trigger = n.trigger`.execute(
      tx,
    )
  }
  if (over.length > 0) {
    await sql`
      delete from rule_due d
      using unnest(${over.map(({ ruleId }) => ruleId)}::int[], ${over.map(({ twinId }) => twinId)}::int[], ${over.map(({ trigger }) => trigger)}::int[])
        as n (rule_id, twin_id, trigger)
      where d.rule_id = n.rule_id and d.twin_id is not distinct from n.twin_id and d.trigger = n.trigger`.execute(
      tx,
    )
  }
}

/** Takes rules whose conditions have waited for time to pass. An evaluation says when they are due again. */
export async function takeDueConditions(
  tx: Executor,
  now: Date,
  limit: number,
): Promise<(Place & { accountId: number; dueAt: Date })[]> {
  const { rows } = await sql<{ rule_id: number; twin_id: number; account_id: number; due_at: Date }>`
    update rule_live l set due_at = null
    from (select rule_id, twin_id, due_at from rule_live where due_at <= ${now} order by due_at limit ${limit}
      for update skip locked) as d, rules r
    where l.rule_id = d.rule_id and l.twin_id = d.twin_id and r.id = d.rule_id
    returning l.rule_id, l.twin_id, r.account_id, d.due_at`.execute(tx)
  return rows.map((row) => ({
    ruleId: row.rule_id,
    twinId: row.twin_id,
    accountId: row.account_id,
    dueAt: row.due_at,
  }))
}

/** The time of the next rule that waits for the clock. */
export async function nextDueAt(db: Executor): Promise<Date | null> {
  const { rows } = await sql<{ due_at: Date | null }>`
    select least((select min(due_at) from rule_due), (select min(due_at) from rule_live),
      (select min(due_at) from rule_fence_states)) as due_at`.execute(db)
  return rows[0]?.due_at ?? null
}

/** The twins above each twin, nearest first. */
export async function readTwinsAbove(
  db: Executor,
  twinIds: readonly number[],
): Promise<Map<number, number[]>> {
  if (twinIds.length === 0) return new Map()
  const { rows } = await sql<{ twin_id: number; above: number[] }>`
    with recursive up as (
      select id as twin_id, parent_id, 1 as depth from twins where id = any(${[...twinIds]}::int[])
      union all
      select up.twin_id, t.parent_id, depth + 1 from up join twins t on t.id = up.parent_id
    )
    select twin_id, array_agg(parent_id order by depth) as above from up where parent_id is not null
    group by twin_id`.execute(db)
  return new Map(rows.map((row) => [row.twin_id, row.above]))
}

/** Time zones of the accounts of rules, and their triggers. */
export async function readTriggers(
  db: Executor,
  ruleIds: readonly number[],
): Promise<Map<number, { triggers: unknown; metrics: unknown; timeZone: string }>> {
  const rows = await db
    .selectFrom('rules')
    .innerJoin('accounts', 'accounts.id', 'rules.account_id')
    .select(['rules.id', 'rules.triggers', 'rules.metrics', 'accounts.time_zone'])
    .where('rules.id', '=', anyOf(ruleIds))
    .execute()
  return new Map(
    rows.map(({ id, triggers, metrics, time_zone: timeZone }) => [id, { triggers, metrics, timeZone }]),
  )
}

export type Cause = ExecutionCause
