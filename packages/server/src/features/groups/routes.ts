import { parseSearch } from '@leitstand/contract/search'
import { type DeviceView, viewsMax } from '@leitstand/contract/views'
import type { Context } from '../../platform/context.ts'
import { type Executor, violatedUnique } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import { hasScopeIn } from '../devices/index.ts'
import { userIdOf } from '../people/index.ts'
import { changesOf, readScopes } from '../twins/index.ts'
import { countViews, deleteView, findView, insertView, listViews, titleIndex, updateView } from './store.ts'

/** Saved filters of the device list. Queries with them use the permissions of the caller. */
export function viewRoutes({ db, clock }: Context) {
  return {
    list: os.view.list.handler(async ({ input, context: { caller } }) => {
      const { search, tenantIds: accountIds, ...page } = input
      const filter = { search: parseSearch(search), accountIds }
      return { ...page, ...(await listViews(db, userIdOf(caller), filter, page)) }
    }),
    get: os.view.get.handler(({ input, context: { caller } }) => ownView(db, caller, input.id)),
    create: os.view.create.handler(async ({ input, context: { caller } }) => {
      const { title, filter } = input
      const userId = userIdOf(caller)
      const id = await change(db, async (tx) => {
        const { views, accountId: home } = await countViews(tx, userId)
        if (views >= viewsMax) throw new AppError('DEVICE_VIEW_TOO_MANY', { viewsMax })
        const accountId = input.accountId ?? home
        const isVisible =
          accountId === home || (await hasScopeIn(tx, readScopes(caller, 'virtualDevice'), accountId))
        if (!isVisible) throw new AppError('TENANT_NOT_FOUND', { id: accountId })
        const created = await insertView(tx, { userId, accountId, title, filter }, clock.now())
        await record(tx, caller, 'create', { id: created, title, accountId })
        return created
      })
      return ownView(db, caller, id)
    }),
    update: os.view.update.handler(async ({ input, context: { caller } }) => {
      const { id, version } = input
      await change(db, async (tx) => {
        const before = await ownView(tx, caller, id)
        if (!(await updateView(tx, input, clock.now())))
          throw new AppError('VERSION_CONFLICT', { id, version })
        const { title, filter } = input
        const changes = changesOf({ title: before.title, filter: before.filter }, { title, filter })
        await record(tx, caller, 'update', { ...before, title }, changes)
      })
      return ownView(db, caller, id)
    }),
    delete: os.view.delete.handler(async ({ input, context: { caller } }) => {
      await change(db, async (tx) => {
        const view = await ownView(tx, caller, input.id)
        await deleteView(tx, input.id)
        await record(tx, caller, 'delete', view)
      })
      return { ok: true as const }
    }),
  }
}

/** @throws AppError DEVICE_VIEW_NOT_FOUND, also if it belongs to another user */
export async function ownView(db: Executor, caller: Caller, id: number): Promise<DeviceView> {
  const view = await findView(db, userIdOf(caller), id)
  if (!view) throw new AppError('DEVICE_VIEW_NOT_FOUND', { id })
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
  view: Pick<DeviceView, 'id' | 'title' | 'accountId'>,
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
