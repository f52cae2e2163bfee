import { randomUUID } from 'node:crypto'
import type { JsonValue } from '@leitstand/contract/common'
import type { State, Visualization } from '@leitstand/contract/states'
import { sql } from 'kysely'
import { type Executor, jsonb } from '../../../platform/db/index.ts'
import { fromColumns, orderedValuesOf, type ValueRow, valueAt, valuesOf } from '../../series/index.ts'
import type { ScopesByCategory } from '../policy.ts'
import { inScopesByCategory, ints, texts } from '../store/filters.ts'
import { type NamedTwin, pathLengthMax } from './upload/targets.ts'
import { PartValues } from './upload/task.ts'

/** Numbers of a state before a time, newest first; null: from the newest on. */
export async function readNumbersBefore(
  db: Executor,
  stateId: number,
  before: Date | null,
  limit: number,
): Promise<{ time: Date; value: number }[]> {
  const { rows } = await sql<{ time: Date; value: number }>`
    select time, num as value from ${orderedValuesOf(
      {
        state: sql`${stateId}`,
        ...(before === null ? {} : { before }),
        where: sql`num is not null`,
      },
      'desc',
      limit,
    )} as v`.execute(db)
  return rows
}

/** Times of the values of a state in a period, ascending; `end` is not included. */
export async function readTimes(
  db: Executor,
  stateId: number,
  { start, end }: { start: Date; end: Date },
  limit: number,
): Promise<Date[]> {
  const { rows } = await sql<{ time: Date }>`
    select time from ${orderedValuesOf({ state: sql`${stateId}`, since: start, before: end }, 'asc', limit)} as v`.execute(
    db,
  )
  return rows.map(({ time }) => time)
}

/** How many values a state has, of all times or in a period; `end` is not included. */
export async function countValues(
  db: Executor,
  stateId: number,
  { start, end }: { start?: Date; end?: Date } = {},
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${valuesOf({
      state: sql`${stateId}`,
      ...(start === undefined ? {} : { since: start }),
      ...(end === undefined ? {} : { before: end }),
    })} as v`.execute(db)
  return rows[0]?.count ?? 0
}

/** The value of a state at a time; undefined: it has none. */
export async function readValueAt(db: Executor, stateId: number, time: Date): Promise<JsonValue | undefined> {
  const { rows } = await sql<ValueRow>`
    select num, txt, bool, json from ${valueAt(sql`${stateId}`, time)} as v`.execute(db)
  return rows[0] && fromColumns(rows[0])
}

/** Stores the values of a file for `work`, which gets their id; they are deleted if it fails. */
export async function withUpload<T>(
  db: Executor,
  parts: readonly PartValues[],
  now: Date,
  work: (uploadId: string) => Promise<T>,
): Promise<T> {
  const uploadId = randomUUID()
  await addUpload(db, uploadId, parts, now)
  try {
    return await work(uploadId)
  } catch (error) {
    await db.deleteFrom('value_uploads').where('upload_id', '=', uploadId).execute()
    throw error
  }
}

/** Stores the values of a file in parts, from 0 on. */
async function addUpload(
  db: Executor,
  uploadId: string,
  parts: readonly PartValues[],
  now: Date,
): Promise<void> {
  for (const [part, content] of parts.entries())
    await db
      .insertInto('value_uploads')
      .values({ upload_id: uploadId, part, created_at: now, content: jsonb(content) })
      .execute()
}

/** A part of a file; undefined: it has no more. */
export async function readUpload(
  db: Executor,
  uploadId: string,
  part: number,
): Promise<PartValues | undefined> {
  const row = await db
    .selectFrom('value_uploads')
    .select('content')
    .where('upload_id', '=', uploadId)
    .where('part', '=', part)
    .executeTakeFirst()
  return row && PartValues.parse(row.content)
}

/** Deletes a part that is stored. */
export async function deleteUpload(tx: Executor, uploadId: string, part: number): Promise<void> {
  await tx.deleteFrom('value_uploads').where('upload_id', '=', uploadId).where('part', '=', part).execute()
}

/** Deletes what jobs that no longer exist have left. */
export async function deleteOldUploads(db: Executor, before: Date): Promise<void> {
  await db.deleteFrom('value_uploads').where('created_at', '<', before).execute()
}

/**
 * Twins and devices of an account whose id or title is one of these, with the titles above them.
 * @param titles in lower case
 */
export async function findNamed(
  db: Executor,
  { accountId, scopes }: { accountId: number; scopes: ScopesByCategory },
  { ids, titles }: { ids: readonly number[]; titles: readonly string[] },
  limit: number,
): Promise<NamedTwin[]> {
  const { rows } = await sql<NamedTwin>`
    with recursive named as materialized (
      select t.id, t.title, t.category, t.scope_id, t.parent_id from twins t
      where t.account_id = ${accountId} and ${inScopesByCategory(scopes)}
        and (t.id = any(${ints(ids)}) or lower(t.title) = any(${texts(titles)}))
      order by t.id limit ${limit}),
    up as (
      select id, parent_id, array[lower(title)] as path from named
      union all
      select up.id, p.parent_id, up.path || lower(p.title) from up join twins p on p.id = up.parent_id
      where cardinality(up.path) < ${pathLengthMax})
    select n.id, n.title, n.category, n.scope_id as "scopeId",
      (select u.path from up u where u.id = n.id order by cardinality(u.path) desc limit 1) as path
    from named n`.execute(db)
  return rows
}

/** A state that a cell of a file means. */
export type NamedState = Pick<State, 'key' | 'title' | 'unit' | 'valueType' | 'source'> & {
  id: number
  twinId: number
  /** place of the pair that asked for it */
  place: number
}

/** The states that pairs of a twin and a key or title mean; a key comes before a title. */
export async function findNamedStates(
  db: Executor,
  pairs: readonly { twinId: number; name: string }[],
): Promise<NamedState[]> {
  const { rows } = await sql<NamedState>`
    select distinct on (w.place) (w.place - 1)::int as place, s.id, s.twin_id as "twinId", s.key, s.title, s.unit,
      s.value_type as "valueType", s.source
    from unnest(${ints(pairs.map(({ twinId }) => twinId))}, ${texts(pairs.map(({ name }) => name))})
      with ordinality as w (twin_id, name, place)
    join states s on s.twin_id = w.twin_id
      and (lower(s.key) = lower(w.name) or lower(s.title) = lower(w.name)
        or lower(s.title || ' [' || s.unit || ']') = lower(w.name))
    order by w.place, s.key = w.name desc, lower(s.key) = lower(w.name) desc, s.position, s.id`.execute(db)
  return rows
}

/** The scopes of these twins or devices that the caller may change. */
export async function writableScopes(
  db: Executor,
  scopes: ScopesByCategory,
  ids: readonly number[],
): Promise<{ id: number; scopeId: number }[]> {
  const { rows } = await sql<{ id: number; scopeId: number }>`
    select t.id, t.scope_id as "scopeId" from twins t
    where t.id = any(${ints(ids)}) and ${inScopesByCategory(scopes)}`.execute(db)
  return rows
}

/** Whether one of these scopes is in an account. */
export async function isInAccount(
  db: Executor,
  accountId: number,
  scopeIds: readonly number[],
): Promise<boolean> {
  const { rows } = await sql`
    select from scopes where account_id = ${accountId} and id = any(${ints(scopeIds)}) limit 1`.execute(db)
  return rows.length > 0
}

/** The limits of a state that are in its unit. */
export interface Limits {
  lowerBound: number | null
  upperBound: number | null
  visualization: Visualization
}

/** A state that may get another unit. */
export type UnitState = Limits &
  Pick<State, 'id' | 'twinId' | 'title' | 'unit'> & { accountId: number; twinTitle: string }

/** States of these that the caller may change and no template defines, locked. */
export async function lockEditable(
  tx: Executor,
  scopes: ScopesByCategory,
  ids: readonly number[],
): Promise<UnitState[]> {
  const { rows } = await sql<UnitState>`
    select s.id, s.twin_id as "twinId", s.title, s.unit, s.lower_bound as "lowerBound", s.upper_bound as "upperBound",
      s.visualization, t.account_id as "accountId", t.title as "twinTitle"
    from states s join twins t on t.id = s.twin_id
    where s.id = any(${ints(ids)}) and not s.fixed and ${inScopesByCategory(scopes)}
    order by s.id for update of s`.execute(tx)
  return rows
}

/** Gives a state another unit, with its limits in it. */
export async function storeUnit(
  tx: Executor,
  id: number,
  unit: string,
  { lowerBound, upperBound, visualization }: Limits,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('states')
    .set({
      unit,
      lower_bound: lowerBound,
      upper_bound: upperBound,
      visualization: jsonb({ ...visualization }),
      updated_at: now,
      version: sql<number>`version + 1`,
    })
    .where('id', '=', id)
    .execute()
}
