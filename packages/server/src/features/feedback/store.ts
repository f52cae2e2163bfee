import { sql } from 'kysely'
import { accountsUp } from '../../platform/db/accountTree.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { Kind } from './text.ts'

/** The author as named in the mail. */
export function readAuthor(db: Executor, userId: number) {
  return db
    .selectFrom('users')
    .innerJoin('accounts', 'accounts.id', 'users.account_id')
    .select(['users.username', 'users.email', 'users.properties'])
    .select(['accounts.id as accountId', 'accounts.name as accountName'])
    .select(sql<string>`trim(users.first_name || ' ' || users.last_name)`.as('name'))
    .where('users.id', '=', userId)
    .executeTakeFirstOrThrow()
}

/** Addresses of the account, otherwise of the nearest one above; undefined when none are configured. */
export async function recipientsOf(
  db: Executor,
  accountId: number,
  kind: Kind,
): Promise<string[] | undefined> {
  const { rows } = await sql<{ addresses: string[] }>`
    select a.feedback -> ${kind} as addresses
    from ${accountsUp(accountId)} up join accounts a on a.id = up.id
    where jsonb_array_length(coalesce(a.feedback -> ${kind}, '[]')) > 0
    order by up.distance limit 1`.execute(db)
  return rows[0]?.addresses
}
