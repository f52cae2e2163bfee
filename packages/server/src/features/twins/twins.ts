import type { Twin } from '@leitstand/contract/twins'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requireAccount } from '../accounts/index.ts'
import { recordActivity } from '../activity/index.ts'
import { moveJobs } from '../jobs/index.ts'
import { twinScopes } from '../rights/index.ts'
import { changesOf } from './changes.ts'
import { dependenciesOf, hasRoles } from './dependencies.ts'
import type { TwinInput } from './fields.ts'
import { listScopes, readScopes, requireWrite, stateScopes, writeScopes } from './policy.ts'
import { hasChildren, hasForeignAggregates } from './store/dependencies.ts'
import { lockLinks } from './store/links.ts'
import {
  deleteObject,
  findObject,
  findParent,
  insertObjects,
  loadAncestors,
  loadSurroundings,
  type ObjectRow,
  type Place,
  updateObject,
} from './store/objects.ts'
import { isSameOrBelow, lockMoves, moveScopes, setSubtreeDisabled } from './store/tree.ts'
import { loadTwinSummaries } from './store/twins.list.ts'

/** Reads a twin for its page. @throws AppError DTWIN_NOT_FOUND */
export async function getTwin(db: Executor, caller: Caller, id: number): Promise<Twin> {
  const scopeIds = readScopes(caller, 'digitalTwin')
  const row = await findObject(db, 'digitalTwin', scopeIds, id)
  const [summary] = await loadTwinSummaries(
    db,
    { twins: scopeIds, states: stateScopes(caller).digitalTwin },
    [id],
  )
  if (!row || !summary) throw new AppError('DTWIN_NOT_FOUND', { id })
  return {
    ...summary,
    description: row.description,
    address: row.address,
    floorNumber: row.floorNumber,
    floorName: row.floorName,
    geoPolygon: row.geoPolygon,
    contacts: row.contacts,
    keyValues: row.keyValues,
    referenceIds: row.referenceIds,
    ancestors: await loadAncestors(db, listScopes(caller), id),
    editable: writeScopes(caller, 'digitalTwin').includes(row.scopeId),
    createdAt: row.createdAt.toISOString(),
    version: row.version,
  }
}

/**
 * The place of a new object: below a twin, or at the top of an account.
 * @throws AppError DTWIN_NOT_FOUND, TENANT_NOT_FOUND, NO_PERMISSION on the parent's scope
 */
export async function placeFor(
  tx: Executor,
  caller: Caller,
  category: 'digitalTwin' | 'virtualDevice',
  parentId: number | null,
  accountId: number | undefined,
): Promise<Place> {
  const writable = writeScopes(caller, category)
  if (parentId !== null) {
    const visible = [...new Set([...listScopes(caller), ...writable])]
    const parent = await findParent(tx, visible, parentId)
    if (!parent) throw new AppError('DTWIN_NOT_FOUND', { id: parentId })
    requireWrite(caller, category, parent.scopeId)
    if (accountId !== undefined && accountId !== parent.accountId) {
      throw new AppError('VALIDATION_ERROR', { field: 'accountId' }, 'The parent belongs to another account')
    }
    return parent
  }
  if (accountId === undefined) {
    throw new AppError('VALIDATION_ERROR', { field: 'parentId' }, 'A parent or an account is needed')
  }
  const { scopeId } = await requireAccount(tx, accountId, writable)
  return { parentId: null, accountId, scopeId }
}

/** @returns its id. @throws AppError as `placeFor`, VALIDATION_ERROR */
export async function createTwin(
  ctx: Context,
  caller: Caller,
  input: TwinInput & { parentId: number | null; accountId?: number | undefined },
): Promise<number> {
  return ctx.db.transaction().execute(async (tx) => {
    const place = await placeFor(tx, caller, 'digitalTwin', input.parentId, input.accountId)
    const [id] = await insertObjects(tx, [{ place, category: 'digitalTwin', input }], ctx.clock.now())
    if (id === undefined) throw new Error('a twin was not stored')
    await recordActivity(tx, caller, {
      action: 'create',
      subject: 'DigitalTwin',
      objectId: id,
      objectTitle: input.title,
      accountId: place.accountId,
    })
    return id
  })
}

/**
 * Loads and locks a twin for a change: visible, writable and in the version the caller read. If the change
 * does not set the position, packets may have moved the twin since.
 * @throws AppError not found, NO_PERMISSION, VERSION_CONFLICT
 */
export async function objectForChange(
  tx: Executor,
  caller: Caller,
  category: 'digitalTwin' | 'virtualDevice',
  id: number,
  options: { version?: number; position?: PositionInput; lock?: 'change' | 'remove' } = {},
): Promise<ObjectRow> {
  const row = await findObject(tx, category, readScopes(caller, category), id, {
    lock: options.lock ?? 'change',
  })
  if (!row) throw new AppError(category === 'digitalTwin' ? 'DTWIN_NOT_FOUND' : 'VDEVICE_NOT_FOUND', { id })
  requireWrite(caller, category, row.scopeId)
  const { version = row.version, position = {} } = options
  const oldest = isMoved(row, position) ? row.version : row.editedVersion
  if (version < oldest || version > row.version) {
    throw new AppError('VERSION_CONFLICT', { version: row.version })
  }
  return row
}

/** A position in a request; missing coordinates are kept. */
export interface PositionInput {
  latitude?: number | null | undefined
  longitude?: number | null | undefined
}

function isMoved(row: ObjectRow, position: PositionInput): boolean {
  const { latitude, longitude } = withPosition(row, position)
  return latitude !== row.latitude || longitude !== row.longitude
}

/** The input, with missing coordinates taken from the twin. */
export function withPosition<T extends PositionInput>(
  { latitude, longitude }: ObjectRow,
  input: T,
): Omit<T, keyof PositionInput> & Pick<ObjectRow, 'latitude' | 'longitude'> {
  return {
    ...input,
    latitude: input.latitude === undefined ? latitude : input.latitude,
    longitude: input.longitude === undefined ? longitude : input.longitude,
  }
}

/**
 * Changes and moves a twin.
 * @returns its parent before and after
 * @throws AppError as `objectForChange` and `moveObject`
 */
export async function updateTwin(
  tx: Executor,
  caller: Caller,
  given: Omit<TwinInput, keyof PositionInput> &
    PositionInput & { id: number; version: number; parentId: number | null },
  now: Date,
): Promise<{ before: number | null; after: number | null }> {
  await lockIfMoving(tx, caller, 'digitalTwin', given)
  const row = await objectForChange(tx, caller, 'digitalTwin', given.id, {
    version: given.version,
    position: given,
  })
  const input = withPosition(row, given)
  const parentId = await moveObject(tx, caller, row, input.parentId)
  await updateObject(tx, row, parentId, input, now)
  if (input.title !== row.title) await twinScopes.rename(tx, row.id, input.title)
  const { id: _, version: __, ...after } = input
  await recordActivity(tx, caller, {
    action: 'update',
    subject: 'DigitalTwin',
    objectId: row.id,
    objectTitle: input.title,
    accountId: row.accountId,
    changes: changesOf({ ...row }, { ...after, parentId }),
  })
  return { before: row.parentId, after: parentId }
}

/**
 * Locks the tree if the update is a move, which also changes descendants. Call it before locking the row,
 * otherwise two nested moves would deadlock.
 */
export async function lockIfMoving(
  tx: Executor,
  caller: Caller,
  category: 'digitalTwin' | 'virtualDevice',
  { id, parentId }: { id: number; parentId: number | null },
): Promise<void> {
  const row = await findObject(tx, category, readScopes(caller, category), id)
  if (row && row.parentId !== parentId) await lockMoves(tx, row.accountId)
}

/**
 * Moves a twin or device below another twin, or to the top of its account. Call `lockIfMoving` first.
 * @returns the new parent; if null was requested, a parent the caller cannot see is kept
 * @throws AppError DTWIN_NOT_FOUND, DTWIN_ACCOUNT_CHANGE, DTWIN_MOVE_TO_DESCENDANT, NO_PERMISSION
 */
export async function moveObject(
  tx: Executor,
  caller: Caller,
  row: ObjectRow,
  parentId: number | null,
): Promise<number | null> {
  if (parentId === row.parentId) return parentId
  if (parentId === null) {
    const { parentId: visibleParent } = await loadSurroundings(tx, row, readScopes(caller, 'digitalTwin'))
    if (visibleParent === null) return row.parentId
  }
  const to = await placeFor(tx, caller, row.category, parentId, parentId === null ? row.accountId : undefined)
  if (to.accountId !== row.accountId) throw new AppError('DTWIN_ACCOUNT_CHANGE')
  if (parentId !== null && (await isSameOrBelow(tx, parentId, row.id))) {
    throw new AppError('DTWIN_MOVE_TO_DESCENDANT')
  }
  await moveScopes(tx, row, to)
  return parentId
}

/**
 * Deletes a twin with its states and their values.
 * @throws AppError DTWIN_NOT_FOUND, NO_PERMISSION, DTWIN_DELETE_HAS_DEPENDENCIES with twins below it, states of others
 * that are computed from its own, and who has roles on its own scope
 */
export async function deleteTwin(tx: Executor, caller: Caller, id: number): Promise<void> {
  await lockLinks(tx)
  const row = await objectForChange(tx, caller, 'digitalTwin', id, { lock: 'remove' })
  const scope = await twinScopes.find(tx, id)
  if (scope) await twinScopes.lock(tx, scope.id)
  if ((await hasChildren(tx, id)) || (await hasForeignAggregates(tx, id)) || (await hasRoles(tx, id))) {
    const dependencies = await twinDependencies(tx, caller, id)
    throw new AppError('DTWIN_DELETE_HAS_DEPENDENCIES', {
      items: dependencies.items.filter((each) => each.blocking),
    })
  }
  if (scope) await moveJobs(tx, { from: scope.id, to: scope.parentId })
  await deleteObject(tx, row)
  await recordActivity(tx, caller, {
    action: 'delete',
    subject: 'DigitalTwin',
    objectId: id,
    objectTitle: row.title,
    accountId: row.accountId,
  })
}

/**
 * Disables or enables a twin with the devices below it.
 * @returns the devices that were switched with it; undefined if the twin itself already was
 */
export async function setTwinDisabled(
  tx: Executor,
  caller: Caller,
  { id, disabled }: { id: number; disabled: boolean },
  now: Date,
): Promise<number[] | undefined> {
  await lockTree(tx, caller, id)
  const row = await objectForChange(tx, caller, 'digitalTwin', id)
  const deviceIds = await switchTwin(tx, caller, row, disabled, now)
  return row.disabled === disabled ? undefined : deviceIds
}

/** Locks the tree of a twin the caller may see. Call it before locking the twin, see `lockIfMoving`. */
export async function lockTree(tx: Executor, caller: Caller, id: number): Promise<void> {
  const found = await findObject(tx, 'digitalTwin', readScopes(caller, 'digitalTwin'), id)
  if (found) await lockMoves(tx, found.accountId)
}

/** The caller has locked the tree and the twin. @returns the devices that were switched with it */
export async function switchTwin(
  tx: Executor,
  caller: Caller,
  row: ObjectRow,
  disabled: boolean,
  now: Date,
): Promise<number[]> {
  const scopeIds = writeScopes(caller, 'digitalTwin')
  const deviceIds = await setSubtreeDisabled(tx, scopeIds, row.id, disabled, now)
  await recordActivity(tx, caller, {
    action: disabled ? 'disable' : 'enable',
    subject: 'DigitalTwin',
    objectId: row.id,
    objectTitle: row.title,
    accountId: row.accountId,
    changes: { devices: deviceIds.length },
  })
  return deviceIds
}

/** Dependencies of a twin that are visible to the caller. */
export function twinDependencies(db: Executor, caller: Caller, id: number) {
  return dependenciesOf(db, caller, { kind: 'digitalTwin', id })
}
