import type { TwinChanges } from '@leitstand/contract/twinBulk'
import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import { changesOf } from './changes.ts'
import { editTwinFields } from './editFields.ts'
import { type ObjectRow, updateObject } from './store/objects.ts'
import { lockIfMoving, lockTree, moveObject, objectForChange, switchTwin } from './twins.ts'
import { changeOf, type TwinChange } from './undo/change.ts'

/**
 * Applies the changes of a bulk edit to a twin.
 * @returns what can be undone; empty: nothing differs
 * @throws AppError as `objectForChange` and `moveObject`, VALIDATION_ERROR
 */
export async function editTwin(
  tx: Executor,
  caller: Caller,
  id: number,
  changes: TwinChanges,
  now: Date,
): Promise<TwinChange> {
  const { parentId, disabled } = changes
  if (disabled !== undefined) await lockTree(tx, caller, id)
  else if (parentId !== undefined) await lockIfMoving(tx, caller, 'digitalTwin', { id, parentId })
  const row = await objectForChange(tx, caller, 'digitalTwin', id)
  const to = parentId === undefined ? row.parentId : await moveObject(tx, caller, row, parentId)
  const edited = { ...editTwinFields(row, changes), parentId: to }
  await saveTwin(tx, caller, row, edited, now)
  const change = changeOf(row, edited)
  if (disabled === undefined || disabled === row.disabled) return change
  const deviceIds = await switchTwin(tx, caller, row, disabled, now)
  return { ...change, disabled: { after: disabled, deviceIds } }
}

/** Stores a changed twin with an entry in the activity log, unless nothing differs. */
async function saveTwin(
  tx: Executor,
  caller: Caller,
  row: ObjectRow,
  edited: ObjectRow,
  now: Date,
): Promise<void> {
  const changes = changesOf({ ...row }, { ...edited })
  if (changes === undefined) return
  await updateObject(tx, row, edited.parentId, edited, now)
  await recordActivity(tx, caller, {
    action: 'update',
    subject: 'DigitalTwin',
    objectId: row.id,
    objectTitle: row.title,
    accountId: row.accountId,
    changes,
  })
}
