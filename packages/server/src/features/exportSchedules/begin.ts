import type { ExportRunReason } from '@leitstand/contract/exportSchedules'
import { DateTime } from 'luxon'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { placesOf, plainName } from '../exports/index.ts'
import type { PeopleFeature } from '../people/index.ts'
import type { ContentsOf } from './contents/index.ts'
import { endWith } from './ending.ts'
import { type ClaimedRun, type Ending, holdRun, noteExporting, retryRun } from './runs.store.ts'
import { findSchedule, lockSchedule, type ScheduleRow } from './schedules.store.ts'

export interface BeginParts {
  contentOf: ContentsOf
  people: Pick<PeopleFeature, 'actFor'>
}

const retryMs = 5 * 60_000
const attemptsMax = 3
/** How long a run waits for room among the background jobs of its account. */
const patienceMs = 2 * 3_600_000

/** Errors of an export that another attempt does not mend. */
const reasons: Readonly<Record<string, ExportRunReason>> = {
  EXPORT_TOO_MANY_COLUMNS: 'tooManyColumns',
  EXPORT_TOO_MANY_INTERVALS: 'tooManyIntervals',
  SMART_GROUP_NOT_FOUND: 'selectionGone',
  DTWIN_NOT_FOUND: 'selectionGone',
  DASHBOARD_NOT_FOUND: 'selectionGone',
  PRINT_NO_BROWSER: 'noBrowser',
}

/** Begins a run that is due, with the rights that the owner of its schedule has now; never rejects because of the run. */
export async function begin(ctx: Context, parts: BeginParts, run: ClaimedRun): Promise<void> {
  const { db, clock, log } = ctx
  const schedule = await findSchedule(db, null, run.scheduleId)
  // Deleted meanwhile, and its runs with it.
  if (!schedule) return
  const content = parts.contentOf(schedule.content)
  const end = (ending: Ending) =>
    db.transaction().execute(async (tx) => {
      await lockSchedule(tx, schedule.id)
      if (!(await holdRun(tx, run))) return
      const language = content.languageOf(schedule.content)
      await endWith(ctx, tx, { schedule, run, language }, ending)
    })
  if (run.attempt > attemptsMax) return end({ state: 'failed', reason: 'interrupted' })
  const owner = await parts.people.actFor(schedule.owner)
  if (owner === null) return end({ state: 'failed', reason: 'ownerGone' })
  if (!placesOf(owner).includes(schedule.scopeId)) return end({ state: 'failed', reason: 'ownerRights' })
  try {
    const isEmpty = await db.transaction().execute((tx) => beginIn(tx, owner, schedule))
    if (isEmpty) await end({ state: 'empty' })
  } catch (error) {
    const code = error instanceof AppError ? error.code : ''
    const reason = reasons[code]
    if (reason) return end({ state: 'failed', reason })
    if (code === 'TOO_MANY_REQUESTS') return later()
    log.error({ exportScheduleId: schedule.id, run: run.id, err: error }, 'a scheduled export did not begin')
    if (run.attempt >= attemptsMax) await end({ state: 'failed', reason: 'jobFailed', detail: code })
    else await retryRun(db, run, new Date(clock.now().getTime() + retryMs))
  }

  /** @returns whether there was nothing to export */
  async function beginIn(
    tx: Parameters<typeof lockSchedule>[0],
    caller: Caller,
    { id, title, accountId, scopeId, range, timeZone }: ScheduleRow,
  ): Promise<boolean> {
    if (!(await lockSchedule(tx, id)) || !(await holdRun(tx, run))) return false
    const begun = await content.begin(tx, caller, schedule?.content as ScheduleRow['content'], {
      scheduleId: id,
      title,
      place: { accountId, scopeId },
      range,
      timeZone,
      dueAt: run.dueAt,
      name: fileNameOf(title, run.dueAt, timeZone),
    })
    if (begun) await noteExporting(tx, run.id, begun)
    return begun === null
  }

  /** Waits for other background jobs of the account, without counting it as an attempt. */
  async function later(): Promise<void> {
    const now = clock.now().getTime()
    if (now - run.at.getTime() > patienceMs) return end({ state: 'failed', reason: 'busy' })
    await retryRun(db, run, new Date(now + retryMs), 0)
  }
}

/** The name of a file, without its ending: another one for each time, even when the clock goes back. */
export function fileNameOf(title: string, dueAt: Date, timeZone: string): string {
  return `${plainName(title)} ${DateTime.fromJSDate(dueAt, { zone: timeZone }).toFormat('yyyy-MM-dd HHmmZZZ')}`
}
