import type { TwinChanges } from '@leitstand/contract/twinBulk'
import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import { changesOf } from './changes.ts'
import { editTwinFields } from './editFields.ts'
import { type ObjectRow, updateObject } from './store/objects.ts'
import { lockIfMoving, lockTree, moveObject, objectForChange, switchTwin } from './twins.ts'

/**
 * Applies the changes of a bulk edit to a twin.
 * @returns whether anything changed
 * @throws AppError as `objectForChange` and `moveObject`, VALIDATION_ERROR
 */
export async function editTwin(
  tx: Executor,
  caller: Caller,
  id: number,
  changes: TwinChanges,
  now: Date,
): Promise<boolean> {
  const { parentId, disabled } = changes
  if (disabled !== undefined) await lockTree(tx, caller, id)
  else if (parentId !== undefined) await lockIfMoving(tx, caller, 'digitalTwin', { id, parentId })
  const row = await objectForChange(tx, caller, 'digitalTwin', id)
  const to = parentId === undefined ? row.parentId : await moveObject(tx, caller, row, parentId)
  const isChanged = await saveTwin(tx, caller, row, { ...editTwinFields(row, changes), parentId: to }, now)
  const isSwitched = disabled !== undefined && disabled !== row.disabled
  if (isSwitched) await switchTwin(tx, caller, row, disabled, now)
  return isChanged || isSwitched
}

/** Stores a changed twin with an entry in the activity log. @returns false if nothing differs */
async function saveTwin(
  tx: Executor,
  caller: Caller,
  row: ObjectRow,
  edited: ObjectRow,
  now: Date,
): Promise<boolean> {
  const changes = changesOf({ ...row }, { ...edited })
  if (changes === undefined) return false
  await updateObject(tx, row, edited.parentId, edited, now)
  await recordActivity(tx, caller, {
    action: 'update',
    subject: 'DigitalTwin',
    objectId: row.id,
    objectTitle: row.title,
    accountId: row.accountId,
    changes,
  })
  return true
}
