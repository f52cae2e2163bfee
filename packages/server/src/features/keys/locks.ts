import { isDeepStrictEqual } from 'node:util'
import { keyLimits, type Lock, type LockGroup, type LockWay } from '@leitstand/contract/keys'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requireAccount } from '../accounts/index.ts'
import { recordActivity } from '../activity/index.ts'
import type { ConnectorsFeature } from '../connectors/index.ts'
import type { DownlinksFeature } from '../downlinks/index.ts'
import { forgetFavorites } from '../people/index.ts'
import { visibleScopes } from '../series/index.ts'
import { readScopes, writeScopes } from '../twins/index.ts'
import {
  countOf,
  deleteGroup,
  deleteLock,
  findDevice,
  findDoor,
  findReport,
  insertGroup,
  insertLock,
  type LockFields,
  listGroups,
  listLocks,
  lockAccount,
  writeGroup,
  writeLock,
  writeMembers,
} from './locks.store.ts'
import { sightOf } from './policy.ts'

export interface LockParts {
  connectors: Pick<ConnectorsFeature, 'messages'>
  downlinks: Pick<DownlinksFeature, 'predefinedOf'>
}

type Ctx = Pick<Context, 'db' | 'clock'>

/** @throws AppError LOCK_NOT_FOUND */
export async function requireLock(
  ctx: Pick<Context, 'clock'>,
  db: Executor,
  caller: Caller,
  id: number,
): Promise<Lock> {
  const page = { offset: 0, limit: 1, now: ctx.clock.now() }
  const [lock] = (await listLocks(db, sightOf(caller), { ids: [id] }, page)).items
  if (lock === undefined) throw new AppError('LOCK_NOT_FOUND', { id })
  return lock
}

/**
 * @throws AppError DTWIN_NOT_FOUND, LOCK_TWIN_INVALID, LOCK_EXISTS, LOCKS_LIMIT, LOCK_WAY_INVALID, LOCK_REPORT_INVALID,
 *   LOCK_POSITION_MISSING
 */
export async function addLock(
  ctx: Ctx,
  parts: LockParts,
  caller: Caller,
  { twinId, ...fields }: LockFields & { twinId: number },
): Promise<Lock> {
  const id = await ctx.db.transaction().execute(async (tx) => {
    const door = await findDoor(tx, sightOf(caller), twinId)
    if (door === undefined) throw new AppError('DTWIN_NOT_FOUND', { id: twinId })
    if (door.type !== 'door') throw new AppError('LOCK_TWIN_INVALID', { type: door.type })
    if (fields.withinMetres !== null && door.place === null) throw new AppError('LOCK_POSITION_MISSING')
    const { accountId, title } = door
    await checkFields(tx, parts, caller, { id: twinId, accountId }, fields)
    await lockAccount(tx, accountId)
    const { locksOfAccountMax: max } = keyLimits
    if ((await countOf(tx, 'locks', accountId)) >= max) throw new AppError('LOCKS_LIMIT', { max })
    const made = await insertLock(tx, { accountId, twinId }, fields)
    if (made === undefined) throw new AppError('LOCK_EXISTS')
    await note(tx, caller, 'Lock', 'create', { id: made, title, accountId }, fields)
    return made
  })
  return requireLock(ctx, ctx.db, caller, id)
}

/** @throws AppError LOCK_NOT_FOUND, VERSION_CONFLICT, LOCK_WAY_INVALID, LOCK_REPORT_INVALID, LOCK_POSITION_MISSING */
export async function changeLock(
  ctx: Ctx,
  parts: LockParts,
  caller: Caller,
  { id, version, ...fields }: LockFields & { id: number; version: number },
): Promise<Lock> {
  await ctx.db.transaction().execute(async (tx) => {
    const { accountId, twin, way, report } = await requireLock(ctx, tx, caller, id)
    const door = await findDoor(tx, sightOf(caller), twin.id)
    if (fields.withinMetres !== null && !door?.place) throw new AppError('LOCK_POSITION_MISSING')
    await checkFields(tx, parts, caller, { id: twin.id, accountId }, fields, { way, report })
    if (!(await writeLock(tx, { id, version }, fields))) throw new AppError('VERSION_CONFLICT')
    await note(tx, caller, 'Lock', 'update', { id, title: twin.title, accountId }, fields)
  })
  return requireLock(ctx, ctx.db, caller, id)
}

/** @throws AppError LOCK_NOT_FOUND */
export async function removeLock(ctx: Ctx, caller: Caller, id: number): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const { accountId, twin } = await requireLock(ctx, tx, caller, id)
    await deleteLock(tx, id)
    await forgetFavorites(tx, 'lock', id)
    await note(tx, caller, 'Lock', 'delete', { id, title: twin.title, accountId })
  })
}

interface DoorOf {
  id: number
  accountId: number
}

/**
 * Who sets up a lock must be allowed to send its command, see `problemOf`, and to see what reports. What a lock has had
 * before stays, no matter who changes the rest of it.
 */
async function checkFields(
  tx: Executor,
  parts: LockParts,
  caller: Caller,
  door: DoorOf,
  { way, report }: LockFields,
  before?: Pick<Lock, 'way' | 'report'>,
): Promise<void> {
  if (!isDeepStrictEqual(way, before?.way)) {
    const problem = await problemOf(tx, parts, caller, door, way)
    if (problem !== null) throw new AppError('LOCK_WAY_INVALID', { problem })
  }
  if (report === null || report.stateId === before?.report?.stateId) return
  const state = await findReport(tx, report.stateId)
  const seen = visibleScopes(caller)
  const scopes = state?.category === 'virtualDevice' ? seen.virtualDevice : seen.digitalTwin
  if (state?.accountId !== door.accountId || !scopes.includes(state.scopeId))
    throw new AppError('LOCK_REPORT_INVALID', { stateId: report.stateId })
}

/**
 * What is wrong with a way to open a door. Messages of one's own, and downlinks to any device, take the right to send these.
 * Others who manage keys choose among what was prepared: the downlinks in the driver of a device that stands at the door
 * (those who manage devices have put it there), and webhooks with the message of the platform.
 */
async function problemOf(
  tx: Executor,
  { connectors, downlinks }: LockParts,
  caller: Caller,
  door: DoorOf,
  way: LockWay,
): Promise<string | null> {
  if (way.kind === 'downlink') {
    const device = await findDevice(tx, way.deviceId)
    if (device?.accountId !== door.accountId) return 'deviceForeign'
    const scopes = device.parentId === door.id ? readScopes : writeScopes
    if (!scopes(caller, 'virtualDevice').includes(device.scopeId)) return 'deviceForeign'
    const offered = await downlinks.predefinedOf(tx, way.deviceId)
    return offered.some(({ name }) => name === way.name) ? null : 'noDownlink'
  }
  const isCommand = way.kind === 'connector-command'
  const isOwn = isCommand || way.payload !== ''
  const usable = await connectors.messages.usable(tx, caller, [way.connectorId], isOwn ? 'command' : 'use')
  const connector = usable.get(way.connectorId)
  if (connector?.accountId !== door.accountId) return 'connectorForeign'
  if (!isCommand) return connector.delivers ? null : 'connectorUnfit'
  if (!connector.publishes) return 'connectorUnfit'
  return connector.mayPublish(way.topic) ? null : 'topicForbidden'
}

/** @throws AppError LOCK_GROUP_NOT_FOUND */
export async function requireGroup(db: Executor, caller: Caller, id: number): Promise<LockGroup> {
  const [group] = (await listGroups(db, sightOf(caller), { ids: [id] }, { offset: 0, limit: 1 })).items
  if (group === undefined) throw new AppError('LOCK_GROUP_NOT_FOUND', { id })
  return group
}

/** @throws AppError TENANT_NOT_FOUND, LOCK_NOT_FOUND, LOCK_GROUPS_LIMIT */
export async function addGroup(
  { db }: Ctx,
  caller: Caller,
  { accountId, title, lockIds }: { accountId: number; title: string; lockIds: readonly number[] },
): Promise<LockGroup> {
  const sight = sightOf(caller)
  const id = await db.transaction().execute(async (tx) => {
    await requireAccount(tx, accountId, sight.manage)
    await lockAccount(tx, accountId)
    const { groupsOfAccountMax: max } = keyLimits
    if ((await countOf(tx, 'lock_groups', accountId)) >= max) throw new AppError('LOCK_GROUPS_LIMIT', { max })
    const made = await insertGroup(tx, { accountId, title })
    await setMembers(tx, caller, { groupId: made, accountId, lockIds })
    await note(tx, caller, 'LockGroup', 'create', { id: made, title, accountId }, { lockIds })
    return made
  })
  return requireGroup(db, caller, id)
}

/** @throws AppError LOCK_GROUP_NOT_FOUND, VERSION_CONFLICT, LOCK_NOT_FOUND */
export async function changeGroup(
  { db }: Ctx,
  caller: Caller,
  { id, version, title, lockIds }: { id: number; version: number; title: string; lockIds: readonly number[] },
): Promise<LockGroup> {
  await db.transaction().execute(async (tx) => {
    const { accountId } = await requireGroup(tx, caller, id)
    if (!(await writeGroup(tx, { id, version, title }))) throw new AppError('VERSION_CONFLICT')
    await setMembers(tx, caller, { groupId: id, accountId, lockIds })
    await note(tx, caller, 'LockGroup', 'update', { id, title, accountId }, { lockIds })
  })
  return requireGroup(db, caller, id)
}

/** @throws AppError LOCK_GROUP_NOT_FOUND */
export async function removeGroup({ db }: Ctx, caller: Caller, id: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { accountId, title } = await requireGroup(tx, caller, id)
    await deleteGroup(tx, id)
    await note(tx, caller, 'LockGroup', 'delete', { id, title, accountId })
  })
}

async function setMembers(
  tx: Executor,
  caller: Caller,
  members: { groupId: number; accountId: number; lockIds: readonly number[] },
): Promise<void> {
  const [foreign] = await writeMembers(tx, sightOf(caller), members)
  if (foreign !== undefined) throw new AppError('LOCK_NOT_FOUND', { id: foreign })
}

/** Records a change of keys or locks. */
export async function note(
  tx: Executor,
  caller: Caller,
  subject: 'Lock' | 'LockGroup' | 'DoorKey',
  action: 'create' | 'update' | 'delete' | 'endKey',
  { id, title, accountId }: { id: number; title: string; accountId: number },
  changes?: object,
): Promise<void> {
  await recordActivity(tx, caller, {
    action,
    subject,
    objectId: id,
    objectTitle: title,
    accountId,
    ...(changes === undefined ? {} : { changes }),
  })
}
