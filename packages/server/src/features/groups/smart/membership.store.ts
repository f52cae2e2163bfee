import { SmartGroupFilter } from '@leitstand/contract/smartGroups'
import { sql } from 'kysely'
import { accountsBelow, accountsUp } from '../../../platform/db/accountTree.ts'
import { anyOf, type Executor } from '../../../platform/db/index.ts'

interface Found {
  groupId: number
  accountId: number
  filter: SmartGroupFilter
}

/** Of some groups those that belong to the account of one of these twins, or to one above it. */
export async function findGroupsAbove(
  db: Executor,
  groupIds: readonly number[],
  twinIds: readonly number[],
): Promise<Found[]> {
  const { rows } = await sql<Found>`
    with accounts_of as (select distinct account_id from twins where id = ${anyOf(twinIds)})
    select g.id as "groupId", g.account_id as "accountId", g.filter from smart_groups g
    where g.id = ${anyOf(groupIds)}
      and g.account_id in (select up.id from accounts_of o, lateral ${accountsUp(sql`o.account_id`)} up)
    order by g.id`.execute(db)
  return rows.map(({ filter, ...group }) => ({ ...group, filter: SmartGroupFilter.parse(filter) }))
}

/** A group with the accounts of its devices and their scopes. */
export interface GroupSelection extends Pick<Found, 'groupId' | 'filter'> {
  accountIds: number[]
  scopeIds: number[]
}

/** See `selectionOf`: the accounts are that of the group, or those its filter names, if they are still below it. */
export async function findSelections(db: Executor, groups: readonly Found[]): Promise<GroupSelection[]> {
  if (groups.length === 0) return []
  const named = groups.map(({ accountId, filter }) => filter.account_ids ?? [accountId])
  const pairs = groups.flatMap(({ groupId, accountId }, index) =>
    (named[index] ?? []).map((id) => ({ groupId, accountId, id })),
  )
  const { rows } = await sql<{ groupId: number; accountIds: number[]; scopeIds: number[] }>`
    select p.group_id as "groupId", array_agg(distinct p.id) as "accountIds", array_agg(distinct s.id) as "scopeIds"
    from unnest(${pairs.map(({ groupId }) => groupId)}::int[], ${pairs.map(({ accountId }) => accountId)}::int[],
      ${pairs.map(({ id }) => id)}::int[]) as p (group_id, account_id, id)
    join scopes s on s.account_id = p.id
    where p.id = p.account_id or p.id in (select b.id from ${accountsBelow(sql`p.account_id`)} b)
    group by p.group_id`.execute(db)
  const filters = new Map(groups.map(({ groupId, filter }) => [groupId, filter]))
  return rows.map((row) => ({ ...row, filter: filters.get(row.groupId) ?? {} }))
}
