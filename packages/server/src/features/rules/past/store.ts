import type { JsonValue } from '@leitstand/contract/common'
import type { RelatedMetric } from '@leitstand/contract/rules'
import {
  type PastResult,
  PastRule,
  type PastRunEntry,
  pastLimits,
  type RealLine,
} from '@leitstand/contract/rules/past'
import { sql } from 'kysely'
import * as z from 'zod'
import { anyOf, type Executor, jsonb } from '../../../platform/db/index.ts'
import { fromColumns, orderedValuesOf, type ValueRow } from '../../series/index.ts'
import type { Related } from '../metrics/related/index.ts'
import { emptyStretches, type Period } from './outcome.ts'

/** Where the history of a state is needed from. */
export interface Wanted {
  stateId: number
  startMs: number
}

/** Values read of each state at least, and how many times more than on average. */
const eachMin = 20
const spare = 8

export interface PastValue {
  stateId: number
  timeMs: number
  value: JsonValue
}

/**
 * Values of several states before a time, in the order of their times, at most `limit`.
 * @returns `untilMs`: all before this time are there
 */
export async function readValues(
  db: Executor,
  wanted: readonly Wanted[],
  endMs: number,
  limit: number,
): Promise<{ values: PastValue[]; untilMs: number }> {
  // Of very many states only a few values each are looked at, so that not most of what is read is thrown away.
  const each = Math.min(limit, Math.max(eachMin, Math.ceil((spare * limit) / Math.max(1, wanted.length))))
  const { rows } = await sql<ValueRow & { stateId: number; timeMs: number }>`
    select v.state_id as "stateId", (extract(epoch from v.time) * 1000)::float8 as "timeMs", v.num, v.txt, v.bool, v.json
    from unnest(${wanted.map(({ stateId }) => stateId)}::int[],
      ${wanted.map(({ startMs }) => new Date(startMs))}::timestamptz[]) as wanted (id, start),
    lateral ${orderedValuesOf(
      { state: sql`wanted.id`, since: sql`wanted.start`, before: new Date(endMs) },
      'asc',
      each,
    )} as v
    order by v.time, v.state_id limit ${limit}`.execute(db)
  const counts = new Map<number, number>()
  // The last time may have more values than were read.
  let untilMs = rows.length < limit ? endMs : (rows.at(-1)?.timeMs ?? endMs)
  for (const { stateId, timeMs } of rows) {
    const count = (counts.get(stateId) ?? 0) + 1
    counts.set(stateId, count)
    // There may be more of this state behind.
    if (count === each) untilMs = Math.min(untilMs, timeMs)
  }
  const values = rows.map((row) => ({
    stateId: row.stateId,
    timeMs: row.timeMs,
    value: fromColumns(row),
  }))
  return { values, untilMs }
}

/** The time of the value that so many of a state begin with, counted back from a time; states without one are missing. */
export async function readStarts(
  db: Executor,
  counts: readonly { stateId: number; count: number }[],
  beforeMs: number,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; startMs: number | null }>`
    select wanted.id, (extract(epoch from v.start) * 1000)::float8 as "startMs"
    from unnest(${counts.map(({ stateId }) => stateId)}::int[], ${counts.map(({ count }) => count)}::int[])
      as wanted (id, count),
    lateral (
      select min(time) as start from (
        select time from ${orderedValuesOf(
          { state: sql`wanted.id`, before: new Date(beforeMs) },
          'desc',
          sql`wanted.count`,
        )} as v) as newest
    ) as v`.execute(db)
  return new Map(rows.flatMap(({ id, startMs }) => (startMs === null ? [] : [[id, startMs] as const])))
}

/** Whether values of these states may be texts of any length. */
export async function haveTexts(db: Executor, stateIds: readonly number[]): Promise<boolean> {
  const found = await db
    .selectFrom('states')
    .select('id')
    .where('id', '=', anyOf(stateIds))
    .where('value_type', 'in', ['text', 'json'])
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** The states that metrics name by key, of a twin or of its parent, by alias. */
export async function findNamedStates(
  db: Executor,
  twinId: number,
  named: readonly Pick<RelatedMetric, 'alias' | 'of' | 'stateKey'>[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ alias: string; id: number }>`
    select k.alias, s.id
    from unnest(${named.map(({ alias }) => alias)}::text[], ${named.map(({ of }) => of)}::text[],
      ${named.map(({ stateKey }) => stateKey)}::text[]) as k (alias, kind, key)
    join twins t on t.id = ${twinId}
    join states s on s.key = k.key and s.twin_id = case k.kind when 'own' then t.id when 'parent' then t.parent_id end`.execute(
    db,
  )
  return new Map(rows.map(({ alias, id }) => [alias, id]))
}

/** A twin or device whose rule is run on the past. */
export function findPlace(db: Executor, id: number, scopeIds: readonly number[]) {
  return db
    .selectFrom('twins')
    .select(['id', 'title', 'scope_id', 'account_id', 'category'])
    .where('id', '=', id)
    .where('scope_id', '=', anyOf(scopeIds))
    .executeTakeFirst()
}

export async function insertRun(
  tx: Executor,
  run: {
    jobId: number
    twinId: number
    ruleId: number | null
    fromMs: number
    toMs: number
    rule: PastRule
    stored: PastRule | null
    children: Children
  },
): Promise<void> {
  const children = {
    draft: Object.fromEntries(run.children.draft),
    stored: Object.fromEntries(run.children.stored),
  }
  await sql`
    insert into rule_past_runs (job_id, twin_id, rule_id, starts, ends, children, rule, stored)
    values (${run.jobId}, ${run.twinId}, ${run.ruleId}, ${new Date(run.fromMs)}, ${new Date(run.toMs)}, ${jsonb(children)},
      ${jsonb(run.rule as unknown as JsonValue)}, ${run.stored === null ? null : jsonb(run.stored as unknown as JsonValue)})`.execute(
    tx,
  )
}

/** The states of children that the metrics of both rules read, by alias. */
export interface Children {
  draft: Related
  stored: Related
}

const StoredChildren = z.object({
  draft: z.record(z.string(), z.array(z.int())).default({}),
  stored: z.record(z.string(), z.array(z.int())).default({}),
})

/** The states that a rule reads on a twin by key, by alias. */
export async function findInputs(db: Executor, ruleId: number, twinId: number): Promise<Related> {
  const { rows } = await sql<{ alias: string; ids: number[] }>`
    select alias, array_agg(state_id order by state_id) as ids from rule_inputs
    where rule_id = ${ruleId} and twin_id = ${twinId} group by alias`.execute(db)
  return new Map(rows.map(({ alias, ids }) => [alias, ids]))
}

export interface RunRow extends Period {
  jobId: number
  twinId: number
  /** null: a new rule, or it was deleted */
  ruleId: number | null
  rule: PastRule
  stored: PastRule | null
  children: Children
  result: PastResult | null
}

/** @param scopeIds of the twin; null: any */
export async function findRun(
  db: Executor,
  jobId: number,
  scopeIds: readonly number[] | null,
): Promise<RunRow | undefined> {
  let query = db
    .selectFrom('rule_past_runs')
    .innerJoin('twins', 'twins.id', 'rule_past_runs.twin_id')
    .selectAll('rule_past_runs')
    .where('rule_past_runs.job_id', '=', jobId)
  if (scopeIds !== null) query = query.where('twins.scope_id', '=', anyOf(scopeIds))
  const row = await query.executeTakeFirst()
  if (row === undefined) return undefined
  const { draft, stored } = StoredChildren.parse(row.children)
  return {
    jobId: row.job_id,
    twinId: row.twin_id,
    ruleId: row.rule_id,
    fromMs: row.starts.getTime(),
    toMs: row.ends.getTime(),
    rule: PastRule.parse(row.rule),
    stored: row.stored === null ? null : PastRule.parse(row.stored),
    children: { draft: new Map(Object.entries(draft)), stored: new Map(Object.entries(stored)) },
    // It was checked when it was made, and is large.
    result: row.result as PastResult | null,
  }
}

export async function storeResult(tx: Executor, jobId: number, result: PastResult): Promise<void> {
  await sql`update rule_past_runs set result = ${jsonb(result)} where job_id = ${jobId}`.execute(tx)
}

/** Runs of a twin's rules, newest first. @param ruleId null: of new rules */
export async function listRuns(
  db: Executor,
  scopeIds: readonly number[],
  filter: { twinId: number; ruleId: number | null; offset: number; limit: number },
): Promise<{ items: PastRunEntry[]; total: number }> {
  const query = db
    .selectFrom('rule_past_runs')
    .innerJoin('twins', 'twins.id', 'rule_past_runs.twin_id')
    .innerJoin('background_jobs', 'background_jobs.id', 'rule_past_runs.job_id')
    .where('twins.scope_id', '=', anyOf(scopeIds))
    .where('rule_past_runs.twin_id', '=', filter.twinId)
    .where('rule_past_runs.rule_id', filter.ruleId === null ? 'is' : '=', filter.ruleId)
  const rows = await query
    .select([
      'rule_past_runs.job_id',
      'rule_past_runs.rule_id',
      'rule_past_runs.starts',
      'rule_past_runs.ends',
      'background_jobs.title',
      'background_jobs.user_name',
      'background_jobs.created_at',
      'background_jobs.state',
    ])
    .orderBy('rule_past_runs.job_id', 'desc')
    .offset(filter.offset)
    .limit(filter.limit)
    .execute()
  const { total } = await query
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return {
    items: rows.map((row) => ({
      jobId: row.job_id,
      ruleId: row.rule_id,
      title: row.title,
      from: row.starts.toISOString(),
      to: row.ends.toISOString(),
      user: row.user_name,
      createdAt: row.created_at.toISOString(),
      state: row.state as PastRunEntry['state'],
    })),
    total,
  }
}

const runLock = 7_211_079

/** The unfinished run of a user, or of the programs of an account; locks starting another one until the transaction ends. */
export async function findOpenRun(
  tx: Executor,
  { userId, accountId }: { userId: number | null; accountId: number },
): Promise<number | undefined> {
  await sql`select pg_advisory_xact_lock(${runLock}, ${userId ?? -accountId})`.execute(tx)
  const { rows } = await sql<{ id: number }>`
    select r.job_id as id from rule_past_runs r join background_jobs j on j.id = r.job_id
    where j.state in ('created', 'inprogress')
      and ${userId === null ? sql`j.user_id is null and j.account_id = ${accountId}` : sql`j.user_id = ${userId}`}
    limit 1`.execute(tx)
  return rows[0]?.id
}

/** What a rule has really done in a period. */
export async function readReal(db: Executor, ruleId: number, { fromMs, toMs }: Period): Promise<RealLine> {
  const inPeriod = sql`
    rule_id = ${ruleId} and result in ('fired', 'throttled') and at >= ${new Date(fromMs)} and at < ${new Date(toMs)}`
  const counted = await sql<{ result: 'fired' | 'throttled'; stretch: number; count: number }>`
    select result, least(${pastLimits.stretches - 1}, greatest(0, floor(
      (extract(epoch from at) * 1000 - ${fromMs}::float8) / ${Math.max(1, toMs - fromMs)}::float8
        * ${pastLimits.stretches}::int)))::int as stretch, count(*)::int as count
    from rule_executions where ${inPeriod} group by 1, 2`.execute(db)
  const firedStretches = emptyStretches()
  const totals = { fired: 0, throttled: 0 }
  for (const { result, stretch, count } of counted.rows) {
    totals[result] += count
    if (result === 'fired') firedStretches[stretch] = count
  }
  return { ...totals, firedStretches }
}
