import type { Executor } from '../../../platform/db/index.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { devicesIn, filterOf } from '../../devices/index.ts'
import { readScopes } from '../../twins/index.ts'
import { accountsWithin, type GroupRow, scopesOfAccounts } from './groups.store.ts'

type Filtered = Pick<GroupRow, 'accountId' | 'filter'>
type Tables = Parameters<typeof devicesIn>[3]

/**
 * The filter of a group with its accounts: its own unless the filter names others, and of these only those that are
 * still below it.
 */
export async function selectionOf(db: Executor, { accountId, filter }: Filtered) {
  const accountIds = filter.account_ids
    ? await accountsWithin(db, accountId, filter.account_ids)
    : [accountId]
  return { ...filter, account_ids: accountIds }
}

/** The devices of a group that the caller may read, as parts of a query. */
export async function membersFor(
  db: Executor,
  caller: Caller,
  group: Filtered,
  { now, tables }: { now: Date; tables: Tables },
) {
  const filter = filterOf(await selectionOf(db, group), caller, now)
  return devicesIn(db, readScopes(caller, 'virtualDevice'), filter, tables)
}

/** All devices of a group, as parts of a query. */
export async function membersOf(
  db: Executor,
  group: Filtered,
  { now, tables }: { now: Date; tables: Tables },
) {
  const selection = await selectionOf(db, group)
  const filter = filterOf(selection, { userId: null }, now)
  return devicesIn(db, await scopesOfAccounts(db, selection.account_ids), filter, tables)
}
