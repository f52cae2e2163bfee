import { type AlarmComment, alarmLimits } from '@leitstand/contract/alarms'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { recordActivities } from '../activity/index.ts'
import { listAssignees } from './assignees.store.ts'
import {
  findTended,
  insertComments,
  setAcknowledged,
  setAssigned,
  setSnoozed,
  type TendedAlarm,
} from './comments.store.ts'
import { type AlarmChange, type AlarmScopes, readChanges } from './store.ts'

interface Tending {
  ctx: Pick<Context, 'db' | 'clock'>
  caller: Caller
  scopes: AlarmScopes
}

/** Acknowledges alarms. @returns those that nobody had acknowledged */
export async function acknowledge(tending: Tending, ids: readonly number[]): Promise<number[]> {
  return tending.ctx.db.transaction().execute(async (tx) => {
    const alarms = await lockAll(tx, tending, ids)
    return acknowledgeLocked(tx, tending, alarms)
  })
}

/** Writes the same comment to several alarms. @throws AppError ALARM_COMMENTS_LIMIT */
export async function comment(
  tending: Tending,
  ids: readonly number[],
  { text, acknowledges }: { text: string; acknowledges: boolean },
): Promise<{ comments: AlarmComment[]; acknowledged: number[] }> {
  return tending.ctx.db.transaction().execute(async (tx) => {
    const alarms = await lockAll(tx, tending, ids)
    if (alarms.some(({ comments }) => comments >= alarmLimits.commentsMax))
      throw new AppError('ALARM_COMMENTS_LIMIT')
    const { caller } = tending
    const comments = await insertComments(
      tx,
      alarms.map(({ id }) => id),
      caller,
      text,
    )
    await record(tx, caller, 'comment', alarms, { text })
    const acknowledged = acknowledges ? await acknowledgeLocked(tx, tending, alarms) : []
    return { comments, acknowledged }
  })
}

/**
 * Assigns alarms to a user; null: to nobody.
 * @returns those that changed
 * @throws AppError ALARM_ASSIGNEE_INVALID when the user does not see one of them
 */
export async function assign(
  tending: Tending & { noted(tx: Executor, changes: readonly AlarmChange[]): Promise<unknown> },
  ids: readonly number[],
  userId: number | null,
): Promise<number[]> {
  return tending.ctx.db.transaction().execute(async (tx) => {
    const alarms = await lockAll(tx, tending, ids)
    const changed = alarms.filter(({ assignedTo }) => assignedTo !== userId)
    if (changed.length === 0) return []
    const to = userId === null ? null : await requireAssignee(tx, tending, alarms, userId)
    const changedIds = changed.map(({ id }) => id)
    await setAssigned(tx, changedIds, to)
    await record(tx, tending.caller, 'assign', changed, { to: to?.name ?? null })
    if (to !== null && to.id !== tending.caller.userId) {
      const changes = await readChanges(tx, changedIds)
      await tending.noted(
        tx,
        changes.map((change) => ({ ...change, what: 'assigned', assignedTo: to.id })),
      )
    }
    return changedIds
  })
}

async function requireAssignee(
  tx: Executor,
  { scopes, caller }: Tending,
  alarms: readonly TendedAlarm[],
  userId: number,
): Promise<{ id: number; name: string }> {
  const found = await listAssignees(tx, {
    alarmIds: alarms.map(({ id }) => id),
    scopes,
    userId,
    self: caller.userId,
  })
  const user = found.items[0]
  if (user === undefined) throw new AppError('ALARM_ASSIGNEE_INVALID')
  return user
}

/**
 * Sets open alarms aside, or lets them count again.
 * @returns those that changed
 * @throws AppError ALARM_SNOOZE_INVALID when the time is over or too far away
 */
export async function snooze(
  tending: Tending,
  ids: readonly number[],
  until: Date | null,
): Promise<number[]> {
  const { ctx, caller } = tending
  const now = ctx.clock.now()
  const latest = new Date(now.getTime() + alarmLimits.snoozeDaysMax * 86_400_000)
  if (until !== null && (until <= now || until > latest))
    throw new AppError('ALARM_SNOOZE_INVALID', { days: alarmLimits.snoozeDaysMax })
  return ctx.db.transaction().execute(async (tx) => {
    const alarms = await lockAll(tx, tending, ids)
    const changed = alarms.filter(
      ({ isOpen, snoozedUntil }) => isOpen && (until !== null || snoozedUntil !== null),
    )
    if (changed.length === 0) return []
    const changedIds = changed.map(({ id }) => id)
    await setSnoozed(tx, changedIds, until, caller)
    await record(tx, caller, 'snooze', changed, { until: until?.toISOString() ?? null })
    return changedIds
  })
}

async function acknowledgeLocked(
  tx: Executor,
  { ctx, caller }: Tending,
  alarms: readonly TendedAlarm[],
): Promise<number[]> {
  const open = alarms.filter(({ isAcknowledged }) => !isAcknowledged)
  if (open.length === 0) return []
  const ids = open.map(({ id }) => id)
  await setAcknowledged(tx, ids, caller, ctx.clock.now())
  await record(tx, caller, 'acknowledge', open, null)
  return ids
}

/** All of these alarms, locked. @throws AppError NOT_FOUND when the caller does not see one of them */
async function lockAll(tx: Executor, { scopes }: Tending, ids: readonly number[]): Promise<TendedAlarm[]> {
  const wanted = [...new Set(ids)]
  const found = await findTended(tx, scopes, wanted, { lock: true })
  if (found.length < wanted.length) throw new AppError('NOT_FOUND')
  return found
}

async function record(
  tx: Executor,
  caller: Caller,
  action: 'acknowledge' | 'comment' | 'assign' | 'snooze',
  alarms: readonly TendedAlarm[],
  changes: object | null,
): Promise<void> {
  await recordActivities(
    tx,
    caller,
    alarms.map(({ id, accountId, message }) => ({
      action,
      subject: 'Alarm',
      objectId: id,
      objectTitle: message,
      accountId,
      changes,
    })),
  )
}
