import { type RawBuilder, sql } from 'kysely'
import { int4Array, timeArray } from '../../../platform/db/arrays.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { viewOf } from '../../objects/index.ts'
import type { TimedValue } from '../aggregate.ts'
import type { Pending } from '../apply.ts'
import { orderedValuesOf } from '../days/read.ts'
import { fromColumns, type ValueRow } from '../values.ts'

/** Maximum rows per read, and maximum values read again per source. */
const rowsMax = 2_000
const valuesMax = 20_000
/** States whose current values are read at once. */
const sourcesAtOnce = 2_000

/** Statement that notes states to be computed after the commit, also without changed values. @returns one row per account */
export function noteDerivations(pending: Iterable<Pending>): RawBuilder<{ id: number; account_id: number }> {
  const all = [...pending]
  const oldest = ({ changes }: Pending) =>
    changes.length === 0
      ? new Date(0)
      : new Date(
          changes.reduce((least, { time }) => Math.min(least, time.getTime()), Number.POSITIVE_INFINITY),
        )
  return sql`
    /* prepared: series.noteDerivations */
    insert into derivations (account_id, since, state_ids)
    select account_id, min(since), array_agg(state_id)
    from unnest(${int4Array(all.map(({ meta }) => meta.accountId))}::int4[],
      ${timeArray(all.map(oldest))}::timestamptz[], ${int4Array(all.map(({ meta }) => meta.id))}::int4[])
      as p (account_id, since, state_id)
    group by account_id
    returning id, account_id`
}

/** Statement that deletes the rows of computed states. @returns those it has deleted */
export function deleteDerivations(ids: readonly number[]): RawBuilder<{ id: number }> {
  return sql`delete from derivations where id = any(${[...ids]}::bigint[]) returning id`
}

/** Accounts with states to be computed. */
export async function accountsBehind(db: Executor): Promise<number[]> {
  const { rows } = await sql<{ account_id: number }>`select distinct account_id from derivations`.execute(db)
  return rows.map(({ account_id: accountId }) => accountId)
}

/** The oldest noted states of an account, each with the time of its oldest unprocessed source value. */
export async function readDerivations(
  db: Executor,
  accountId: number,
): Promise<{ ids: number[]; since: Map<number, Date> }> {
  const { rows } = await sql<{ id: number; since: Date; state_ids: number[] }>`
    select id, since, state_ids from derivations where account_id = ${accountId} order by id limit ${rowsMax}`.execute(
    db,
  )
  const since = new Map<number, Date>()
  for (const row of rows) {
    for (const id of row.state_ids) {
      const known = since.get(id)
      if (known === undefined || row.since < known) since.set(id, row.since)
    }
  }
  return { ids: rows.map(({ id }) => id), since }
}

/** Current values of states, and the twin of each state. */
export async function readSources(
  db: Executor,
  stateIds: readonly number[],
): Promise<{ current: Map<number, TimedValue>; twinOf: Map<number, number> }> {
  const current = new Map<number, TimedValue>()
  const twinOf = new Map<number, number>()
  // In pieces: an answer with 50 000 rows would hold up everything else while it is read.
  for (let first = 0; first < stateIds.length; first += sourcesAtOnce) {
    const { rows } = await sql<ValueRow & { id: number; twin_id: number; time: Date | null }>`
      select s.id, s.twin_id, c.time, c.num, c.txt, c.bool, c.json
      from ${viewOf('states')} s left join state_current c on c.state_id = s.id
      where s.id = any(${int4Array(stateIds.slice(first, first + sourcesAtOnce))}::int4[])`.execute(db)
    for (const row of rows) {
      twinOf.set(row.id, row.twin_id)
      if (row.time !== null) current.set(row.id, { value: fromColumns(row), time: row.time })
    }
  }
  return { current, twinOf }
}

/** Values of a state since a time, oldest first; at most the newest `valuesMax`. */
export async function readValuesSince(db: Executor, stateId: number, since: Date): Promise<TimedValue[]> {
  const { rows } = await sql<ValueRow & { time: Date }>`
    select time, num, txt, bool, json
    from ${orderedValuesOf({ state: sql`${stateId}`, since }, 'desc', valuesMax)} as v`.execute(db)
  return rows.reverse().map((row) => ({ value: fromColumns(row), time: row.time }))
}
