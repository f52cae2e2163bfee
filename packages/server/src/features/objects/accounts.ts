import type { AccountDependency } from '@leitstand/contract/accounts'
import { sql } from 'kysely'
import type * as z from 'zod'
import type { Executor } from '../../platform/db/index.ts'
import type { WithAccount } from './kinds.ts'
import { kinds } from './registry.ts'

/** How many of the objects that block a deletion are listed by name. */
const blockersMax = 100

export type Blocker = Omit<z.infer<typeof AccountDependency>, 'blocking'>

/** What blocks the deletion of an account, in the order of the features. */
export async function blockersOf(
  db: Executor,
  accountId: number,
): Promise<{ items: Blocker[]; more: boolean; virtualDevices: number }> {
  const blocking = ruled().filter((rule) => 'blocks' in rule)
  const parts = blocking.map(
    ({ blocks, rows }, place) =>
      sql`(select ${blocks}::text as kind, id, title, ${sql.lit(place)} as place from (${rows(accountId)}) as r
        order by title, id limit ${blockersMax + 1})`,
  )
  const { rows } = await sql<Blocker>`
    select kind, id, title from (${sql.join(parts, sql` union all `)}) as found
    order by place, title, id limit ${blockersMax + 1}`.execute(db)
  const devices = blocking.find(({ blocks }) => blocks === 'virtualDevice')
  if (devices === undefined) throw new Error('virtual devices do not keep their account')
  const counted = await sql<{ count: number }>`
    select count(*)::int as count from (${devices.rows(accountId)}) as r`.execute(db)
  return {
    items: rows.slice(0, blockersMax),
    more: rows.length > blockersMax,
    virtualDevices: counted.rows[0]?.count ?? 0,
  }
}

/**
 * Deletes everything an account owns, high features first, so that users of an object go before the object
 * itself. Requires that nothing blocks the deletion (`blockersOf`).
 */
export async function deleteOfAccount(tx: Executor, accountId: number): Promise<void> {
  for (const rule of ruled().toReversed()) if ('delete' in rule) await rule.delete(tx, accountId)
}

function ruled(): Exclude<WithAccount, 'owner'>[] {
  return kinds()
    .flatMap(([, { withAccount }]) => withAccount)
    .filter((rule) => rule !== 'owner')
}
