import { parseSearch } from '@leitstand/contract/search'
import { viewsMax } from '@leitstand/contract/views'
import type { Context } from '../../platform/context.ts'
import { type Executor, violatedUnique } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import { hasScopeIn } from '../devices/index.ts'
import { userIdOf } from '../people/index.ts'
import { changesOf } from '../twins/index.ts'
import type { Kind } from './kinds.ts'
import {
  countViews,
  deleteView,
  findView,
  insertView,
  listViews,
  titleIndex,
  updateView,
  type View,
} from './store.ts'

/** What can be done with the saved filters of one list. Queries with them use the permissions of the caller. */
export function viewsOf<Filter extends object>({ db, clock }: Context, kind: Kind<Filter>) {
  return {
    async list(
      caller: Caller,
      input: { search?: string | undefined; tenantIds?: number[] | undefined; offset: number; limit: number },
    ) {
      const { search, tenantIds: accountIds, ...page } = input
      const filter = { search: parseSearch(search), accountIds }
      return { ...page, ...(await listViews(db, kind, userIdOf(caller), filter, page)) }
    },
    get: (caller: Caller, id: number) => visibleView(db, caller, kind, id),
    async create(
      caller: Caller,
      input: { title: string; filter: Filter; accountId?: number | undefined; shared: boolean },
    ) {
      const { title, filter, shared } = input
      const userId = userIdOf(caller)
      const id = await change(db, async (tx) => {
        const { views, accountId: home } = await countViews(tx, kind, userId)
        if (views >= viewsMax) throw new AppError('DEVICE_VIEW_TOO_MANY', { viewsMax })
        const accountId = input.accountId ?? home
        const isVisible = accountId === home || (await hasScopeIn(tx, kind.scopes(caller), accountId))
        if (!isVisible) throw new AppError('TENANT_NOT_FOUND', { id: accountId })
        const view = { kind: kind.name, userId, accountId, title, filter, shared }
        const created = await insertView(tx, view, clock.now())
        await record(tx, caller, 'create', { id: created, title, accountId })
        return created
      })
      return visibleView(db, caller, kind, id)
    },
    async update(
      caller: Caller,
      input: { id: number; version: number; title: string; filter: Filter; shared?: boolean | undefined },
    ) {
      const { id, version, title, filter } = input
      await change(db, async (tx) => {
        const before = await ownView(tx, caller, kind, id)
        const shared = input.shared ?? before.shared
        if (!(await updateView(tx, { id, version, title, filter, shared }, clock.now())))
          throw new AppError('VERSION_CONFLICT', { id, version })
        const { title: titleBefore, filter: filterBefore, shared: sharedBefore } = before
        const changes = changesOf(
          { title: titleBefore, filter: filterBefore, shared: sharedBefore },
          { title, filter, shared },
        )
        await record(tx, caller, 'update', { ...before, title }, changes)
      })
      return visibleView(db, caller, kind, id)
    },
    async delete(caller: Caller, id: number) {
      await change(db, async (tx) => {
        const view = await ownView(tx, caller, kind, id)
        await deleteView(tx, id)
        await record(tx, caller, 'delete', view)
      })
      return { ok: true as const }
    },
  }
}

/** @throws AppError DEVICE_VIEW_NOT_FOUND, also if another user has not shared it with the caller */
export async function visibleView<Filter extends object>(
  db: Executor,
  caller: Caller,
  kind: Kind<Filter>,
  id: number,
): Promise<View<Filter>> {
  const view = await findView(db, kind, userIdOf(caller), id)
  if (!view) throw new AppError('DEVICE_VIEW_NOT_FOUND', { id })
  return view
}

/** @throws AppError DEVICE_VIEW_NOT_FOUND, NO_PERMISSION if another user has shared it */
async function ownView<Filter extends object>(db: Executor, caller: Caller, kind: Kind<Filter>, id: number) {
  const view = await visibleView(db, caller, kind, id)
  if (!view.own) throw new AppError('NO_PERMISSION', { subject: 'DeviceView', action: 'write' })
  return view
}

/**
 * Runs a change in its own transaction.
 * @throws AppError DEVICE_VIEW_ALREADY_EXISTS when the title is taken
 */
async function change<T>(db: Executor, work: (tx: Executor) => Promise<T>): Promise<T> {
  try {
    return await db.transaction().execute(work)
  } catch (error) {
    if (violatedUnique(error) === titleIndex) throw new AppError('DEVICE_VIEW_ALREADY_EXISTS')
    throw error
  }
}

function record(
  tx: Executor,
  caller: Caller,
  action: 'create' | 'update' | 'delete',
  view: { id: number; title: string; accountId: number },
  changes?: object,
): Promise<void> {
  return recordActivity(tx, caller, {
    action,
    subject: 'DeviceView',
    objectId: view.id,
    objectTitle: view.title,
    accountId: view.accountId,
    changes,
  })
}
