import { parseSearch } from '@leitstand/contract/search'
import { type SmartGroup, type SmartGroupFilter, smartGroupsMax } from '@leitstand/contract/smartGroups'
import type { Context } from '../../../platform/context.ts'
import { type Executor, violatedUnique } from '../../../platform/db/index.ts'
import { searchedId } from '../../../platform/db/textFilter.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { requireAccount } from '../../accounts/index.ts'
import { recordActivity } from '../../activity/index.ts'
import { usersOf } from '../../objects/index.ts'
import { forgetFavorites, userIdOf } from '../../people/index.ts'
import { changesOf, readScopes } from '../../twins/index.ts'
import {
  accountsWithin,
  countGroups,
  deleteGroupRow,
  findGroup,
  type GroupInput,
  type GroupRow,
  groupTitleIndex,
  insertGroup,
  listGroups,
  lockGroup,
  updateGroup,
} from './groups.store.ts'
import { membersFor } from './members.ts'

/** Users named in the error when a group cannot be deleted. */
const examplesMax = 20

/** Scopes whose smart groups the caller may see: those in which they see devices. */
export function groupScopes(caller: Caller): number[] {
  return readScopes(caller, 'virtualDevice')
}

/** Scopes whose smart groups the caller may create, change and delete. */
export function managedScopes(caller: Caller): number[] {
  return [...caller.scopeIds('VirtualDevice', 'manage')]
}

export function toSmartGroup(
  caller: Caller,
  { scopeId, createdAt, updatedAt, ...row }: GroupRow,
): SmartGroup {
  return {
    ...row,
    editable: managedScopes(caller).includes(scopeId),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

/** A page of the groups the caller may see. @throws AppError NO_PERMISSION for a program that asks for favourites */
export async function findGroups(
  { db }: Context,
  caller: Caller,
  input: {
    search?: string | undefined
    tenantIds?: number[] | undefined
    favorites: boolean
    order_by: 'title' | '-title' | 'updatedAt' | '-updatedAt'
    offset: number
    limit: number
  },
) {
  const { offset, limit } = input
  const found = await listGroups(db, groupScopes(caller), {
    search: parseSearch(input.search),
    searchedId: searchedId(input.search),
    accountIds: input.tenantIds,
    favoritesOf: input.favorites ? userIdOf(caller) : undefined,
    orderBy: input.order_by,
    offset,
    limit,
  })
  return {
    items: found.items.map((row) => toSmartGroup(caller, row)),
    total: found.total,
    offset,
    limit,
  }
}

/** A group the caller may see. @throws AppError SMART_GROUP_NOT_FOUND */
export async function requireGroup(db: Executor, caller: Caller, id: number): Promise<GroupRow> {
  const row = await findGroup(db, groupScopes(caller), id)
  if (!row) throw new AppError('SMART_GROUP_NOT_FOUND', { id })
  return row
}

/**
 * A group the caller may change, locked until the end of the transaction.
 * @throws AppError SMART_GROUP_NOT_FOUND, NO_PERMISSION
 */
export async function groupForChange(tx: Executor, caller: Caller, id: number): Promise<GroupRow> {
  await lockGroup(tx, id)
  const row = await requireGroup(tx, caller, id)
  if (!managedScopes(caller).includes(row.scopeId))
    throw new AppError('NO_PERMISSION', { subject: 'VirtualDevice', action: 'manage' })
  return row
}

/**
 * Creates a smart group.
 * @returns its id
 * @throws AppError TENANT_NOT_FOUND, SMART_GROUP_TOO_MANY, SMART_GROUP_ALREADY_EXISTS, SMART_GROUP_FOREIGN_ACCOUNT
 */
export function createGroup(
  { db, clock }: Context,
  caller: Caller,
  input: GroupInput & { accountId: number },
): Promise<number> {
  return unlessTaken(db, async (tx) => {
    const { accountId, title } = input
    const { scopeId } = await requireAccount(tx, accountId, managedScopes(caller))
    await requireOwnAccounts(tx, accountId, input.filter)
    if ((await countGroups(tx, accountId)) >= smartGroupsMax)
      throw new AppError('SMART_GROUP_TOO_MANY', { smartGroupsMax })
    const id = await insertGroup(tx, { ...input, scopeId }, clock.now())
    await record(tx, caller, 'create', { id, title, accountId })
    return id
  })
}

/**
 * @throws AppError SMART_GROUP_NOT_FOUND, NO_PERMISSION, VERSION_CONFLICT, SMART_GROUP_ALREADY_EXISTS,
 * SMART_GROUP_FOREIGN_ACCOUNT
 */
export function changeGroup(
  { db, clock }: Context,
  caller: Caller,
  input: GroupInput & { id: number; version: number },
): Promise<void> {
  return unlessTaken(db, async (tx) => {
    const { id, version, title, description, filter, monitoring } = input
    const before = await groupForChange(tx, caller, id)
    if (before.version !== version) throw new AppError('VERSION_CONFLICT', { id, version })
    await requireOwnAccounts(tx, before.accountId, filter)
    await updateGroup(tx, id, { title, description, filter, monitoring }, clock.now())
    const fields = ({ title, description, filter, monitoring }: GroupInput) => ({
      title,
      description,
      filter,
      monitoring,
    })
    await record(tx, caller, 'update', { ...before, title }, changesOf(fields(before), fields(input)))
  })
}

/** @throws AppError SMART_GROUP_NOT_FOUND, NO_PERMISSION, SMART_GROUP_IN_USE with `count`, `items` and `hidden` */
export async function deleteGroup({ db }: Context, caller: Caller, id: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const row = await groupForChange(tx, caller, id)
    const page = { offset: 0, limit: examplesMax }
    const { items, groups, hidden } = await usersOf(tx, caller, { kind: 'smartGroup', id }, page)
    if (items.length > 0 || hidden) {
      const count = groups.reduce((sum, each) => sum + each.count, 0)
      throw new AppError('SMART_GROUP_IN_USE', { count, items, hidden })
    }
    await deleteGroupRow(tx, id)
    await forgetFavorites(tx, 'smartGroup', id)
    await record(tx, caller, 'delete', row)
  })
}

/** @throws AppError SMART_GROUP_FOREIGN_ACCOUNT with the accounts */
async function requireOwnAccounts(tx: Executor, accountId: number, filter: SmartGroupFilter): Promise<void> {
  const asked = filter.account_ids ?? []
  const own = await accountsWithin(tx, accountId, asked)
  const foreign = asked.filter((each) => !own.includes(each))
  if (foreign.length > 0) throw new AppError('SMART_GROUP_FOREIGN_ACCOUNT', { ids: foreign.slice(0, 20) })
}

/**
 * Runs a change in its own transaction.
 * @throws AppError SMART_GROUP_ALREADY_EXISTS when the title is taken
 */
async function unlessTaken<T>(db: Executor, work: (tx: Executor) => Promise<T>): Promise<T> {
  try {
    return await db.transaction().execute(work)
  } catch (error) {
    if (violatedUnique(error) === groupTitleIndex) throw new AppError('SMART_GROUP_ALREADY_EXISTS')
    throw error
  }
}

function record(
  tx: Executor,
  caller: Caller,
  action: 'create' | 'update' | 'delete',
  group: { id: number; title: string; accountId: number },
  changes?: object,
): Promise<void> {
  return recordActivity(tx, caller, {
    action,
    subject: 'SmartGroup',
    objectId: group.id,
    objectTitle: group.title,
    accountId: group.accountId,
    changes,
  })
}

/**
 * The devices of a group that the caller may read, as parts of a query.
 * @throws AppError SMART_GROUP_NOT_FOUND
 */
export async function groupMembers(
  db: Executor,
  caller: Caller,
  id: number,
  asked: Parameters<typeof membersFor>[3],
) {
  return membersFor(db, caller, await requireGroup(db, caller, id), asked)
}
