import { retentionMonthsDefault } from '@leitstand/contract/accounts'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import type { AccountScopes } from './hooks.ts'

export interface AccountRow {
  id: number
  name: string
  description: string
  parentId: number | null
  scopeId: number
  timeZone: string
  retentionMonths: number
  messagesPerSecond: number | null
  version: number
}

/** Accounts whose own scope is one of these, with the retention they inherit; by name. */
export async function listAccounts(db: Executor, scopeIds: readonly number[]): Promise<AccountRow[]> {
  const { rows } = await sql<AccountRow>`
    with recursive tree as (
      select id, name, description, parent_id, time_zone, version, coalesce(retention_months, ${retentionMonthsDefault}) as retention,
        messages_per_second
      from accounts where parent_id is null
      union all
      select a.id, a.name, a.description, a.parent_id, a.time_zone, a.version, coalesce(a.retention_months, tree.retention),
        a.messages_per_second
      from accounts a join tree on a.parent_id = tree.id)
    select tree.id, tree.name, tree.description, tree.parent_id as "parentId", scopes.id as "scopeId",
      time_zone as "timeZone", retention as "retentionMonths", messages_per_second as "messagesPerSecond", version
    from tree join scopes on scopes.account_id = tree.id and scopes.twin_id is null
    where scopes.id = any(${[...scopeIds]}::int[])
    order by tree.name, tree.id`.execute(db)
  return rows
}

/** Id, name and scope of an account whose own scope is one of these. */
export async function findAccount(
  db: Executor,
  id: number,
  scopeIds: readonly number[],
): Promise<{ id: number; name: string; scopeId: number } | undefined> {
  const { rows } = await sql<{ id: number; name: string; scopeId: number }>`
    /* prepared: accounts.findAccount */
    select a.id, a.name, s.id as "scopeId" from accounts a join scopes s on s.account_id = a.id
    where a.id = ${id} and s.twin_id is null and s.id = ${anyOf(scopeIds)}`.execute(db)
  return rows[0]
}

export interface NewAccount {
  parentId: number | null
  parentScopeId: number | null
  name: string
  description: string
  timeZone: string
}

/** Creates an account together with its scope. */
export async function insertAccount(
  tx: Executor,
  account: NewAccount,
  scopes: Pick<AccountScopes, 'add'>,
): Promise<{ id: number; scopeId: number }> {
  const { id } = await tx
    .insertInto('accounts')
    .values({
      parent_id: account.parentId,
      name: account.name,
      description: account.description,
      time_zone: account.timeZone,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const scopeId = await scopes.add(tx, { accountId: id, parentId: account.parentScopeId, name: account.name })
  return { id, scopeId }
}

export async function anyAccount(db: Executor): Promise<boolean> {
  return (await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) !== undefined
}
