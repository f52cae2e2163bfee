import type { IntegrationKey } from '@leitstand/contract'
import { sql } from 'kysely'
import { accountsUp } from '../../../platform/db/accountTree.ts'
import type { Executor } from '../../../platform/db/index.ts'

/** An integration that an account, or one above it, has activated. */
export interface ActiveIntegration {
  accountId: number
  accountName: string
  scopeId: number
  integration: string
  at: Date
  by: string
}

/** The integrations active in an account, nearest activation first. */
export async function readIntegrations(db: Executor, accountId: number): Promise<ActiveIntegration[]> {
  const { rows } = await sql<ActiveIntegration>`
    select up.id as "accountId", a.name as "accountName", s.id as "scopeId", i.integration,
      i.activated_at as at, i.activated_by as by
    from ${accountsUp(accountId)} up join accounts a on a.id = up.id
    join account_integrations i on i.account_id = up.id
    join scopes s on s.account_id = up.id and s.twin_id is null
    order by up.distance`.execute(db)
  return rows
}

/** @returns false when the account has activated it already */
export async function insertIntegration(
  tx: Executor,
  row: { accountId: number; integration: IntegrationKey; at: Date; by: string },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('account_integrations')
    .values({
      account_id: row.accountId,
      integration: row.integration,
      activated_at: row.at,
      activated_by: row.by,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** Those of these scopes whose account has an integration active. */
export async function scopesWithIntegration(
  db: Executor,
  integration: IntegrationKey,
  scopeIds: readonly number[],
): Promise<number[]> {
  if (scopeIds.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    with recursive active as (
      select account_id as id from account_integrations where integration = ${integration}
      union
      select a.id from accounts a join active on a.parent_id = active.id)
    select s.id from scopes s join active on active.id = s.account_id
    where s.id = any(${[...scopeIds]}::int[])`.execute(db)
  return rows.map(({ id }) => id)
}
