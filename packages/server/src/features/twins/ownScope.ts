import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import { moveJobs } from '../jobs/index.ts'
import { listHolders, twinScopes } from '../rights/index.ts'
import { readScopes, requireUserManagement, requireWrite } from './policy.ts'
import { findObject, type ObjectRow } from './store/objects.ts'
import { lockMoves, moveSubtree } from './store/tree.ts'
import { objectForChange } from './twins.ts'

/**
 * Makes a twin the root of a scope of its own, below the scope it is in. No role is given on the new scope yet,
 * so everyone keeps exactly the rights they have.
 * @returns the id of the scope
 * @throws AppError DTWIN_NOT_FOUND, NO_PERMISSION, SCOPE_DUPLICATE
 */
export function createOwnScope(ctx: Context, caller: Caller, id: number): Promise<number> {
  return ctx.db.transaction().execute(async (tx) => {
    const twin = await lockForScope(tx, caller, id)
    if (await twinScopes.find(tx, id)) throw new AppError('SCOPE_DUPLICATE', { id })
    const { accountId, scopeId: parentId, title } = twin
    const scopeId = await twinScopes.add(tx, { accountId, parentId, twinId: id, name: title })
    await moveSubtree(tx, id, { from: parentId, to: scopeId })
    await note(tx, caller, 'createScope', twin)
    return scopeId
  })
}

/**
 * Puts a twin and everything in its own scope back into the scope above. Roles on the scope would be lost, so
 * they must be taken away first.
 * @throws AppError DTWIN_NOT_FOUND, NO_PERMISSION, SCOPE_NOT_FOUND, SCOPE_IN_USE with the number of users and of
 *   keys and providers
 */
export async function deleteOwnScope(ctx: Context, caller: Caller, id: number): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const twin = await lockForScope(tx, caller, id)
    const scope = await twinScopes.find(tx, id)
    if (!scope) throw new AppError('SCOPE_NOT_FOUND', { id })
    requireWrite(caller, 'digitalTwin', scope.parentId)
    requireUserManagement(caller, scope.parentId)
    await twinScopes.lock(tx, scope.id)
    const { total, users } = await listHolders(tx, scope.id, 1)
    if (total > 0) throw new AppError('SCOPE_IN_USE', { id, users, others: total - users })
    await moveSubtree(tx, id, { from: scope.id, to: scope.parentId })
    await moveJobs(tx, { from: scope.id, to: scope.parentId })
    await twinScopes.remove(tx, scope)
    await note(tx, caller, 'deleteScope', twin)
  })
}

/** The twin, with moves in its account locked out. */
async function lockForScope(tx: Executor, caller: Caller, id: number): Promise<ObjectRow> {
  const found = await findObject(tx, 'digitalTwin', readScopes(caller, 'digitalTwin'), id)
  if (found) await lockMoves(tx, found.accountId)
  // Read again: another move may have changed its scope in the meantime.
  const twin = await objectForChange(tx, caller, 'digitalTwin', id, { lock: 'remove' })
  requireUserManagement(caller, twin.scopeId)
  return twin
}

async function note(tx: Executor, caller: Caller, action: string, twin: ObjectRow): Promise<void> {
  await recordActivity(tx, caller, {
    action,
    subject: 'DigitalTwin',
    objectId: twin.id,
    objectTitle: twin.title,
    accountId: twin.accountId,
  })
}
