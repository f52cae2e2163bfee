import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { failedMail } from './mails.ts'
import { type Ending, endRun } from './runs.store.ts'
import { type ScheduleRow, setFailing, stopSchedule } from './schedules.store.ts'
import { timeText } from './texts.ts'

/** Reasons after which a schedule does not run again until somebody switches it on. */
const stopping: readonly string[] = ['ownerGone', 'ownerRights']

/**
 * Notes what became of a run, in a transaction that has locked its schedule. The first that fails is told to the owner; the
 * next ones are not, until one has succeeded, so that an hourly schedule does not send a mail every hour.
 */
export async function endWith(
  { mail, config, clock }: Pick<Context, 'mail' | 'config' | 'clock'>,
  tx: Executor,
  {
    schedule,
    run,
    language,
  }: { schedule: ScheduleRow; run: { id: number; dueAt: Date }; language: 'de' | 'en' },
  ending: Ending,
): Promise<void> {
  const now = clock.now()
  await endRun(tx, run.id, ending, now)
  const isFine = ending.state === 'done' || ending.state === 'empty'
  const stops = ending.reason !== undefined && stopping.includes(ending.reason)
  if (stops) await stopSchedule(tx, schedule.id, now)
  const isNew = await setFailing(tx, schedule.id, !isFine)
  if (isFine || !isNew || schedule.createdBy === null) return
  const owner = await tx
    .selectFrom('users')
    .select('email')
    .where('id', '=', schedule.createdBy)
    .executeTakeFirst()
  if (!owner) return
  await mail.write(tx, failedMail, {
    accountId: schedule.accountId,
    recipients: [owner.email],
    language,
    values: {
      title: schedule.title,
      time: timeText(run.dueAt.getTime(), schedule.timeZone, language),
      link: `${config.publicUrl}/#/scheduled-exports?history=${schedule.id}`,
      stopped: stops,
    },
    origin: { exportScheduleId: schedule.id, runId: run.id },
  })
}
