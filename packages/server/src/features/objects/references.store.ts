import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import type { ObjectKind, UsedKind } from './kinds.ts'
import { kinds } from './registry.ts'

/** How many objects of each kind refer to an object in their columns, visible or not. */
export async function countReferences(
  db: Executor,
  used: UsedKind,
  id: number,
): Promise<Partial<Record<ObjectKind, number>>> {
  const counts = referencesTo(used).map(
    ({ kind, rows }) => sql`
      select ${kind}::text as kind, count(distinct r.user_id)::int as count from (${rows}) as r where r.used_id = ${id}`,
  )
  const { rows } = await sql<{
    kind: ObjectKind
    count: number
  }>`${sql.join(counts, sql` union all `)}`.execute(db)
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]))
}

/** Whether objects of other accounts refer to an object in their columns. */
export function hasUsersElsewhere(
  used: UsedKind,
  id: RawBuilder<unknown>,
  accountId: number,
): RawBuilder<boolean> {
  const users = referencesTo(used).map(({ kind, rows, accounts }) => {
    if (!accounts) throw new Error(`the kind ${kind} does not name the accounts of its objects`)
    return sql`
      select from (${rows}) as r join (${accounts}) as a on a.id = r.user_id
      where r.used_id = ${id} and a.account_id <> ${accountId}`
  })
  return sql<boolean>`exists (${sql.join(users, sql` union all `)})`
}

function referencesTo(used: UsedKind) {
  return kinds().flatMap(([kind, { references = [], accounts }]) =>
    references.filter((each) => each.used === used).map(({ rows }) => ({ kind, rows, accounts })),
  )
}
