import { sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'

/** Those of the rules that belong to an account, on twins in these scopes. */
export async function visibleRules(
  db: Executor,
  ids: readonly number[],
  scopeIds: readonly number[],
  accountId: number,
): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const { rows } = await sql<{ id: number }>`
    select r.id from rules r join twins t on t.id = r.twin_id
    where r.id = ${anyOf(ids)} and r.account_id = ${accountId} and t.scope_id = ${anyOf(scopeIds)}`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Rules that run, by id, with their account: active, not paused, and their twin is not disabled. */
export async function runningRules(
  db: Executor,
  ids: readonly number[],
  now: Date,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; account_id: number }>`
    select r.id, r.account_id from rules r join twins t on t.id = r.twin_id
    where r.id = ${anyOf(ids)} and r.active and not t.disabled
      and (r.paused_until is null or r.paused_until <= ${now})`.execute(db)
  return new Map(rows.map((row) => [row.id, row.account_id]))
}

/** The accounts of rules; deleted ones are missing. */
export async function accountsOfRules(db: Executor, ids: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; account_id: number }>`
    select id, account_id from rules where id = ${anyOf(ids)}`.execute(db)
  return new Map(rows.map((row) => [row.id, row.account_id]))
}
