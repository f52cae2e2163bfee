import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requireWrite, stateScopes } from './policy.ts'
import { findOwner, type StateOwner } from './store/states.ts'

/**
 * Finds a state that the caller may change. `lock` locks it until the end of the transaction.
 * @throws AppError DTWIN_STATE_NOT_FOUND, NO_PERMISSION, VERSION_CONFLICT
 */
export async function ownerForChange(
  db: Executor,
  caller: Caller,
  stateId: number,
  { version, lock = false }: { version?: number; lock?: boolean } = {},
): Promise<StateOwner> {
  const owner = await findOwner(db, stateScopes(caller), stateId, { lock })
  if (!owner) throw new AppError('DTWIN_STATE_NOT_FOUND', { stateId })
  requireWrite(caller, owner.category, owner.scopeId)
  if (version !== undefined && version !== owner.version) {
    throw new AppError('VERSION_CONFLICT', { version: owner.version })
  }
  return owner
}

/** What an activity entry about a state has. */
export function aboutState(owner: StateOwner, action: string) {
  return {
    action,
    subject: 'State',
    objectId: owner.stateId,
    objectTitle: `${owner.twinTitle} · ${owner.title}`,
    accountId: owner.accountId,
  }
}
