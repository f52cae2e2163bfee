import { type DoorKey, keyLimits } from '@leitstand/contract/keys'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { timeZoneOf } from '../accounts/index.ts'
import {
  deleteKey,
  findTarget,
  insertKey,
  type KeyFields,
  type KeyFilter,
  listHolders,
  listKeys,
  lockKey,
  scopesOfGroup,
  writeKey,
  writeRevoked,
} from './keys.store.ts'
import { countOf, lockAccount } from './locks.store.ts'
import { note } from './locks.ts'
import { sightOf } from './policy.ts'
import { minutesOf } from './validity.ts'

type Ctx = Pick<Context, 'db' | 'clock'>

/** A key as it is given or changed. */
export interface KeyInput {
  lockId: number | null
  groupId: number | null
  validFrom: string
  validUntil: string | null
  weekdays: readonly number[]
  hours: { from: string; until: string } | null
  timeZone?: string | undefined
  note: string
}

/** @throws AppError KEY_NOT_FOUND */
async function requireKey(ctx: Ctx, db: Executor, caller: Caller, id: number): Promise<DoorKey> {
  const filter: KeyFilter = { id }
  const page = { orderBy: 'createdAt', offset: 0, limit: 1, now: ctx.clock.now() } as const
  const [key] = await listKeys(db, sightOf(caller), filter, page)
  if (key === undefined) throw new AppError('KEY_NOT_FOUND', { id })
  return key
}

/** @throws AppError INVALID_DATE_RANGE, LOCK_NOT_FOUND, LOCK_GROUP_NOT_FOUND, KEY_HOLDER_INVALID, KEYS_LIMIT */
export async function giveKey(
  ctx: Ctx,
  caller: Caller,
  { userId, ...input }: KeyInput & { userId: number },
): Promise<DoorKey> {
  const id = await ctx.db.transaction().execute(async (tx) => {
    const { accountId, title, holder, fields } = await checked(tx, caller, userId, input)
    await lockAccount(tx, accountId)
    const { keysOfAccountMax: max } = keyLimits
    if ((await countOf(tx, 'door_keys', accountId)) >= max) throw new AppError('KEYS_LIMIT', { max })
    const about = { accountId, userId, by: caller.name, at: ctx.clock.now() }
    const made = await insertKey(tx, about, fields)
    await note(tx, caller, 'DoorKey', 'create', { id: made, title: `${title} · ${holder}`, accountId }, input)
    return made
  })
  return requireKey(ctx, ctx.db, caller, id)
}

/**
 * @throws AppError KEY_NOT_FOUND, KEY_REVOKED, VERSION_CONFLICT, INVALID_DATE_RANGE, LOCK_NOT_FOUND, LOCK_GROUP_NOT_FOUND,
 *   KEY_HOLDER_INVALID
 */
export async function changeKey(
  ctx: Ctx,
  caller: Caller,
  { id, version, ...input }: KeyInput & { id: number; version: number },
): Promise<DoorKey> {
  await ctx.db.transaction().execute(async (tx) => {
    await lockKey(tx, id)
    const before = await requireKey(ctx, tx, caller, id)
    if (before.version !== version) throw new AppError('VERSION_CONFLICT')
    if (before.revokedAt !== null) throw new AppError('KEY_REVOKED')
    const { accountId, title, holder, fields } = await checked(tx, caller, before.user.id, input)
    await writeKey(tx, { id, accountId }, fields)
    await note(tx, caller, 'DoorKey', 'update', { id, title: `${title} · ${holder}`, accountId }, input)
  })
  return requireKey(ctx, ctx.db, caller, id)
}

/** @throws AppError KEY_NOT_FOUND */
export async function revokeKey(ctx: Ctx, caller: Caller, id: number): Promise<DoorKey> {
  await ctx.db.transaction().execute(async (tx) => {
    await lockKey(tx, id)
    const before = await requireKey(ctx, tx, caller, id)
    if (before.revokedAt !== null) return
    await writeRevoked(tx, id, { by: caller.name, at: ctx.clock.now() })
    await note(tx, caller, 'DoorKey', 'endKey', { id, title: titleOf(before), accountId: before.accountId })
  })
  return requireKey(ctx, ctx.db, caller, id)
}

/** @throws AppError KEY_NOT_FOUND */
export async function removeKey(ctx: Ctx, caller: Caller, id: number): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await lockKey(tx, id)
    const before = await requireKey(ctx, tx, caller, id)
    await deleteKey(tx, id)
    await note(tx, caller, 'DoorKey', 'delete', { id, title: titleOf(before), accountId: before.accountId })
  })
}

const titleOf = ({ lock, group, user }: DoorKey): string => `${(lock ?? group)?.title ?? ''} · ${user.name}`

async function checked(
  tx: Executor,
  caller: Caller,
  userId: number,
  input: KeyInput,
): Promise<{ accountId: number; title: string; holder: string; fields: KeyFields }> {
  const { lockId, groupId, weekdays, hours } = input
  const validFrom = new Date(input.validFrom)
  const validUntil = input.validUntil === null ? null : new Date(input.validUntil)
  if (validUntil !== null && validUntil <= validFrom) throw new AppError('INVALID_DATE_RANGE')
  const { accountId, title, ...holders } = await targetOf(tx, caller, { lockId, groupId })
  const [holder] = (await listHolders(tx, { ...holders, userId })).items
  if (holder === undefined) throw new AppError('KEY_HOLDER_INVALID', { userId })
  const fields = {
    lockId,
    groupId,
    validFrom,
    validUntil,
    weekdays,
    hours: hours === null ? null : { from: minutesOf(hours.from), until: minutesOf(hours.until) },
    timeZone: input.timeZone ?? (await timeZoneOf(tx, accountId)),
    note: input.note,
  }
  return { accountId, title, holder: holder.name, fields }
}

/**
 * What a key would be for, and who can be given it.
 * @throws AppError LOCK_NOT_FOUND, LOCK_GROUP_NOT_FOUND
 */
export async function targetOf(
  db: Executor,
  caller: Caller,
  { lockId, groupId }: { lockId: number | null; groupId: number | null },
) {
  const sight = sightOf(caller)
  const target = await findTarget(db, sight, { lockId, groupId })
  if (target === undefined)
    throw lockId === null
      ? new AppError('LOCK_GROUP_NOT_FOUND', { id: groupId })
      : new AppError('LOCK_NOT_FOUND', { id: lockId })
  const { accountId, title, scopeId } = target
  // Who may use a key at one door of a group can be given a key of the group: it opens that door.
  const scopeIds = groupId === null ? [scopeId] : [scopeId, ...(await scopesOfGroup(db, groupId))]
  return { accountId, title, scopeIds, visible: sight.manage, self: caller.userId }
}
