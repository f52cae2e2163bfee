import { sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import { devicesIn, filterOf } from '../../devices/index.ts'
import { findGroupsAbove, findSelections, type GroupSelection } from './membership.store.ts'

/** Groups in one statement. */
const groupsMax = 50

/**
 * Which of some groups devices are in now. Groups that cannot have any of these devices cost nothing; the others are looked
 * up together.
 * @param twinIds other twins are in no group
 * @returns the groups of each device that is in one
 */
export async function groupsOfDevices(
  db: Executor,
  groupIds: readonly number[],
  twinIds: readonly number[],
  now: Date,
): Promise<Map<number, Set<number>>> {
  const found = new Map<number, Set<number>>()
  if (groupIds.length === 0 || twinIds.length === 0) return found
  const possible = await findGroupsAbove(db, groupIds, twinIds)
  const selections = await findSelections(db, possible)
  for (let from = 0; from < selections.length; from += groupsMax) {
    const parts = []
    for (const each of selections.slice(from, from + groupsMax))
      parts.push(await among(db, each, twinIds, now))
    const { rows } = await sql<{
      groupId: number
      twinId: number
    }>`${sql.join(parts, sql` union all `)}`.execute(db)
    for (const { groupId, twinId } of rows) {
      const groups = found.get(twinId) ?? new Set()
      found.set(twinId, groups.add(groupId))
    }
  }
  return found
}

async function among(
  db: Executor,
  { groupId, filter, accountIds, scopeIds }: GroupSelection,
  twinIds: readonly number[],
  now: Date,
) {
  const selection = filterOf({ ...filter, account_ids: accountIds }, { userId: null }, now)
  const { id, from, where } = await devicesIn(db, scopeIds, selection, ['twin'])
  return sql`select ${groupId}::int as "groupId", ${id} as "twinId" from ${from}
    where ${where} and ${id} = ${anyOf(twinIds)}`
}
