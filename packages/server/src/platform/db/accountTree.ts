import { type RawBuilder, sql } from 'kysely'

type AccountId = number | null | RawBuilder<number | null>

/**
 * An account and all its ancestors, as a table of `id` and `distance`: 0 is the account itself, the root the
 * farthest.
 * @param account its id, or the column that holds it
 */
export function accountsUp(account: AccountId): RawBuilder<unknown> {
  return sql`(
    with recursive up as (
      select id, parent_id, 0 as distance from accounts where id = ${account}
      union all
      select a.id, a.parent_id, up.distance + 1 from accounts a join up on a.id = up.parent_id)
    select id, distance from up)`
}

/** An account and all its descendants, as a table of `id`. */
export function accountsBelow(account: AccountId): RawBuilder<unknown> {
  return sql`(
    with recursive below as (
      select id from accounts where id = ${account}
      union all
      select a.id from accounts a join below on a.parent_id = below.id)
    select id from below)`
}
