import type { Activation } from '@leitstand/contract/keys'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Place } from '../../platform/geo/metres.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import { demandProof, ownSelf, type SecondFactor } from '../people/index.ts'
import { type Door, findDoor, lastActivation, lockDoor } from './doors.store.ts'
import { metresOf, type Refusal, refusalOf } from './judge.ts'
import { findRequest, insertActivation, insertRefused, listLog, type NewActivation } from './log.store.ts'
import { sightOf } from './policy.ts'

export interface Wish {
  /** of the key */
  id: number
  lockId?: number | undefined
  requestId: string
  code?: string | undefined
  position?: Place | undefined
}

interface Parts {
  factor: Pick<SecondFactor, 'accept' | 'isEnabled'>
}

type Ctx = Pick<Context, 'db' | 'clock'>

/**
 * Judges an attempt to open a lock by the clock of the server and writes it down, once for each id of a person. Who may not
 * is refused, and that is written down as well.
 * @returns the activation, and whether there is something to send
 * @throws AppError KEY_NOT_FOUND, LOCK_REFUSED, ACTIVATION_REUSED, AUTH_IMPERSONATING, NO_PERMISSION
 */
export async function activate(
  ctx: Ctx,
  parts: Parts,
  caller: Caller,
  wish: Wish,
): Promise<{ activation: Activation; scopeId: number; isNew: boolean }> {
  // A door opens for the person, not for those who look through their eyes or act for them.
  const { userId } = ownSelf(caller)
  const asked = { userId, keyId: wish.id, lockId: wish.lockId }
  const door = await findDoor(ctx.db, asked)
  if (door === undefined) throw new AppError('KEY_NOT_FOUND', { id: wish.id })
  const known = await findRequest(ctx.db, userId, wish.requestId)
  if (known === undefined) {
    // Before a code is asked for, which counts only once; judged again below, where nobody is in between.
    const refusal =
      (await judge(ctx, ctx.db, caller, door, wish)) ??
      (await factorRefusal(ctx, parts, caller, door, wish.code))
    if (refusal !== null) throw await refused(ctx, ctx.db, caller, { door, wish, refusal })
  }
  const done = await ctx.db.transaction().execute(async (tx) => {
    await lockDoor(tx, door)
    const sent = await findRequest(tx, userId, wish.requestId)
    if (sent !== undefined) {
      if (sent.lockId !== door.lockId) throw new AppError('ACTIVATION_REUSED')
      return { id: sent.id, isNew: false }
    }
    const now = await findDoor(tx, asked)
    if (now === undefined) throw new AppError('KEY_NOT_FOUND', { id: wish.id })
    // Somebody asks for a code since.
    const isHarder = now.needsCode && !door.needsCode
    const refusal =
      (await judge(ctx, tx, caller, now, wish)) ?? (isHarder ? { reason: 'codeNeeded' as const } : null)
    if (refusal !== null) return { error: await refused(ctx, tx, caller, { door: now, wish, refusal }) }
    const id = await insertActivation(tx, rowOf(ctx, caller, now, wish))
    await recordActivity(tx, caller, {
      action: 'openLock',
      subject: 'Lock',
      objectId: now.lockId,
      objectTitle: now.title,
      accountId: now.accountId,
      changes: { activation: id, key: now.keyId },
      isChange: false,
    })
    return { id, isNew: true }
  })
  if ('error' in done) throw done.error
  const activation = await requireActivation(ctx.db, caller, done.id)
  return { activation, scopeId: door.scopeId, isNew: done.isNew }
}

/** @throws AppError ACTIVATION_NOT_FOUND */
export async function requireActivation(db: Executor, caller: Caller, id: number): Promise<Activation> {
  const [activation] = await listLog(db, sightOf(caller), { id }, { offset: 0, limit: 1 })
  if (activation === undefined) throw new AppError('ACTIVATION_NOT_FOUND', { id })
  return activation
}

async function judge(
  ctx: Ctx,
  db: Executor,
  caller: Caller,
  door: Door,
  { position = null }: { position?: Place | null | undefined },
): Promise<Refusal | null> {
  const userId = caller.userId as number
  const attempt = {
    key: door.validity,
    hasRight: sightOf(caller).use.includes(door.scopeId),
    throttleSeconds: door.throttleSeconds,
    lastAt: await lastActivation(db, { userId, lockId: door.lockId }),
    withinMetres: door.withinMetres,
    door: door.place,
    position,
  }
  return refusalOf(attempt, ctx.clock.now())
}

/** The code of the second factor: each counts once, and wrong ones are limited like those at the sign-in. */
async function factorRefusal(
  ctx: Ctx,
  { factor }: Parts,
  caller: Caller,
  door: Door,
  code: string | undefined,
): Promise<Refusal | null> {
  if (!door.needsCode) return null
  const userId = caller.userId as number
  if (code === undefined || !(await factor.isEnabled(userId))) return { reason: 'codeNeeded' }
  try {
    await demandProof(ctx, userId, '2FA_TOKEN_FAILURE', async () => {
      const taken = await ctx.db.transaction().execute((tx) => factor.accept(tx, userId, code, caller.ip))
      return taken !== null
    })
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { reason: error.code === '2FA_TOKEN_FAILURE' ? 'codeWrong' : 'codeLocked' }
  }
}

async function refused(
  ctx: Ctx,
  db: Executor,
  caller: Caller,
  { door, wish, refusal }: { door: Door; wish: Wish; refusal: Refusal },
): Promise<AppError> {
  await insertRefused(db, rowOf(ctx, caller, door, wish), refusal.reason)
  return new AppError('LOCK_REFUSED', { ...refusal })
}

function rowOf({ clock }: Ctx, caller: Caller, door: Door, { requestId, position }: Wish): NewActivation {
  const metres =
    door.withinMetres === null ? null : metresOf({ door: door.place, position: position ?? null })
  return {
    accountId: door.accountId,
    scopeId: door.scopeId,
    twinId: door.twinId,
    lockId: door.lockId,
    lockTitle: door.title,
    keyId: door.keyId,
    userId: caller.userId as number,
    userName: caller.name,
    requestId,
    at: clock.now(),
    waitSeconds: door.waitSeconds,
    metres,
    way: door.way,
    report: door.report,
  }
}
