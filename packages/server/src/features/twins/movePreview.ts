import type { MovePreview } from '@leitstand/contract/twins'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { compareHolders, readScopesAbove, scopesSeen } from '../rights/index.ts'
import { readScopes, requireWrite } from './policy.ts'
import { findObject } from './store/objects.ts'
import { countBelow, isSameOrBelow } from './store/tree.ts'
import { placeFor } from './twins.ts'

/** Users and keys named in each list. */
const namedMax = 20

/**
 * What moving a twin below another one, or to the top of its account, changes.
 * @throws AppError as the move itself
 */
export async function previewMove(
  db: Executor,
  caller: Caller,
  { id, parentId }: { id: number; parentId: number | null },
): Promise<MovePreview> {
  const row = await findObject(db, 'digitalTwin', readScopes(caller, 'digitalTwin'), id)
  if (!row) throw new AppError('DTWIN_NOT_FOUND', { id })
  requireWrite(caller, 'digitalTwin', row.scopeId)
  const accountId = parentId === null ? row.accountId : undefined
  const to = await placeFor(db, caller, 'digitalTwin', parentId, accountId)
  if (to.accountId !== row.accountId) throw new AppError('DTWIN_ACCOUNT_CHANGE')
  if (parentId !== null && (await isSameOrBelow(db, parentId, id)))
    throw new AppError('DTWIN_MOVE_TO_DESCENDANT')
  const line = await readScopesAbove(db, row.scopeId)
  // A scope of the twin's own moves with it.
  const own = line[0]?.twinId === id ? line.slice(0, 1) : []
  const before = line.map((scope) => scope.id)
  const after = [...own, ...(await readScopesAbove(db, to.scopeId))].map((scope) => scope.id)
  const holders = await compareHolders(db, { before, after, seen: scopesSeen(caller) }, namedMax)
  return { ...(await countBelow(db, id)), ...holders }
}
