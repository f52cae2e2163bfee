import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import type { DashboardsFeature } from '../../dashboards/index.ts'
import { type ExportsFeature, periodOf } from '../../exports/index.ts'
import { type MadeTools, madeBy } from './made.ts'
import type { Content } from './types.ts'

/** A dashboard as PDF, printed by a background job. */
export function dashboardContent(
  { db, printer }: Pick<Context, 'db' | 'printer'>,
  {
    exporting,
    jobs,
    dashboards,
  }: {
    exporting: Pick<ExportsFeature, 'startBoard'>
    jobs: MadeTools['jobs']
    dashboards: Pick<DashboardsFeature, 'show'>
  },
): Content<'dashboard'> {
  const check = async (from: Executor, caller: Caller, dashboardId: number) => {
    if (!printer.isReady) throw new AppError('PRINT_NO_BROWSER')
    await dashboards.show(from, caller, dashboardId)
  }
  return {
    check: (caller, { dashboardId }) => check(db, caller, dashboardId),
    begin: async (tx, caller, { dashboardId, language }, run) => {
      const { scheduleId, title, place, range, timeZone, dueAt, name } = run
      await check(tx, caller, dashboardId)
      const period = periodOf(range, timeZone, dueAt)
      const job = await exporting.startBoard(tx, caller, {
        ...period,
        dashboardId,
        title,
        place,
        timeZone,
        language,
        name,
        changes: { exportSchedule: scheduleId },
      })
      return { jobId: job.id, period }
    },
    made: madeBy({ db, jobs }),
    languageOf: ({ language }) => language,
  }
}
