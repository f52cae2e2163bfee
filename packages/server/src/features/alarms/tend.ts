import { type AlarmComment, alarmLimits } from '@leitstand/contract/alarms'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { recordActivities } from '../activity/index.ts'
import { findTended, insertComments, setAcknowledged, type TendedAlarm } from './comments.store.ts'
import type { AlarmScopes } from './store.ts'

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
  action: 'acknowledge' | 'comment',
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
