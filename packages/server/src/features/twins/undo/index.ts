import type { TwinUndo } from '@leitstand/contract/twins'
import { type UndoPart, undoMinutes } from '@leitstand/contract/twinUndo'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { recordActivity } from '../../activity/index.ts'
import { changesOf } from '../changes.ts'
import { readScopes, writeScopes } from '../policy.ts'
import { type ObjectRow, updateObject } from '../store/objects.ts'
import { disableAgain } from '../store/tree.ts'
import { lockTree, moveObject, objectForChange, switchTwin } from '../twins.ts'
import { isNoChange, type TwinChange, withoutChange } from './change.ts'
import { deleteUndo, findUndo, insertUndo, listUndoTwins, takeChange, takeUndo } from './store.ts'

export { deleteUndone, findUndo, listUndoTwins } from './store.ts'

const minuteMs = 60_000
/** A bulk edit that is being undone is kept this long. */
const takenMs = 86_400_000

/**
 * Keeps a change of a twin so that it can be undone.
 * @param jobId the bulk edit it is a part of
 * @returns null if it changed nothing
 */
export async function keepUndo(
  tx: Executor,
  { twinId, change, jobId = null }: { twinId: number; change: TwinChange; jobId?: number | null },
  now: Date,
): Promise<TwinUndo | null> {
  if (isNoChange(change)) return null
  const until = new Date(now.getTime() + undoMinutes * minuteMs)
  const id = await insertUndo(tx, { jobId, until }, twinId, change)
  return { id, until: until.toISOString() }
}

/** Reserves a bulk edit for the job that undoes it. @throws AppError DTWIN_UNDO_ENDED */
export async function reserveUndo(tx: Executor, id: string, now: Date): Promise<void> {
  if (!(await takeUndo(tx, id, now, new Date(now.getTime() + takenMs))))
    throw new AppError('DTWIN_UNDO_ENDED')
}

/**
 * Undoes a change of one twin.
 * @throws AppError DTWIN_UNDO_ENDED, and as `undoTwin`
 */
export async function undoSingle(tx: Executor, caller: Caller, id: string, now: Date): Promise<UndoPart[]> {
  if (!(await findUndo(tx, { id }, now))) throw new AppError('DTWIN_UNDO_ENDED')
  const [twin] = await listUndoTwins(tx, readScopes(caller, 'digitalTwin'), id)
  if (!twin) throw new AppError('DTWIN_NOT_FOUND')
  const { left } = await undoTwin(tx, caller, { undoId: id, twinId: twin.id }, now)
  await deleteUndo(tx, id)
  return left
}

/**
 * Undoes what a change has done to a twin, as far as it is still like that.
 * @returns what was left alone
 * @throws AppError DTWIN_UNDO_ENDED when it is undone already, DTWIN_NOT_FOUND, NO_PERMISSION
 */
export async function undoTwin(
  tx: Executor,
  caller: Caller,
  { undoId, twinId }: { undoId: string; twinId: number },
  now: Date,
): Promise<{ isRestored: boolean; left: UndoPart[] }> {
  await lockTree(tx, caller, twinId)
  const row = await objectForChange(tx, caller, 'digitalTwin', twinId)
  const change = await takeChange(tx, undoId, twinId)
  if (change === undefined) throw new AppError('DTWIN_UNDO_ENDED')
  const { twin, isParentBack, left } = withoutChange(row, change)
  const to = isParentBack ? await moveBack(tx, caller, row, change.parentId?.before ?? null) : row.parentId
  if (isParentBack && to !== change.parentId?.before) left.push('parent')
  const changes = changesOf({ ...row }, { ...twin, parentId: to })
  if (changes) await updateObject(tx, row, to, twin, now)
  const isSwitched = change.disabled ? await switchBack(tx, caller, row, change.disabled, left, now) : false
  await recordActivity(tx, caller, {
    action: 'undo',
    subject: 'DigitalTwin',
    objectId: row.id,
    objectTitle: row.title,
    accountId: row.accountId,
    changes: { ...changes, ...(left.length > 0 ? { left } : {}) },
  })
  return { isRestored: changes !== undefined || isSwitched, left }
}

/** Why a twin cannot go back: where it was is gone, elsewhere, or out of the caller's reach. */
const noWayBack: ReadonlySet<string> = new Set([
  'DTWIN_NOT_FOUND',
  'DTWIN_MOVE_TO_DESCENDANT',
  'DTWIN_ACCOUNT_CHANGE',
  'TENANT_NOT_FOUND',
  'NO_PERMISSION',
])

/** @returns its parent now, which is the current one if there is no way back */
async function moveBack(
  tx: Executor,
  caller: Caller,
  row: ObjectRow,
  parentId: number | null,
): Promise<number | null> {
  try {
    return await moveObject(tx, caller, row, parentId)
  } catch (error) {
    // Nothing has been written by then.
    if (error instanceof AppError && noWayBack.has(error.code)) return row.parentId
    throw error
  }
}

/** @returns whether anything was switched */
async function switchBack(
  tx: Executor,
  caller: Caller,
  row: ObjectRow,
  { after, deviceIds }: NonNullable<TwinChange['disabled']>,
  left: UndoPart[],
  now: Date,
): Promise<boolean> {
  if (row.disabled !== after) {
    left.push('disabled')
    return false
  }
  const switched = new Set(
    after
      ? await switchTwin(tx, caller, row, false, now)
      : await disableAgain(
          tx,
          { scopeIds: writeScopes(caller, 'digitalTwin'), twinId: row.id, deviceIds },
          now,
        ),
  )
  if (deviceIds.some((id) => !switched.has(id))) left.push('devices')
  return true
}
