import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { type Ending, endRun } from './runs.store.ts'
import { type ScheduleRow, setFailing, stopSchedule } from './schedules.store.ts'
import { timeText, wordsIn } from './texts.ts'

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
  const words = wordsIn(language)
  const when = timeText(run.dueAt.getTime(), schedule.timeZone, language)
  const url = `${config.publicUrl}/#/scheduled-exports?history=${schedule.id}`
  const text = words.failed(schedule.title, when, url)
  await mail.send(tx, {
    accountId: schedule.accountId,
    recipients: [owner.email],
    subject: words.failedSubject(schedule.title),
    body: stops ? `${text}\n\n${words.stopped}` : text,
    origin: { exportScheduleId: schedule.id, runId: run.id },
  })
}
