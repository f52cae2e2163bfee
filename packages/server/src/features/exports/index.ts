import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { DashboardsFeature } from '../dashboards/index.ts'
import { findOutdated, forgetFile, type JobsFeature } from '../jobs/index.ts'
import type { PeopleFeature } from '../people/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { boardKind, type DueBoard, startBoard } from './board.ts'
import { definitionRoutes } from './definitions/routes.ts'
import { exportKind } from './kind.ts'
import { readyMail } from './mail.ts'
import { deletePieces } from './pieces.store.ts'
import { exportRoutes } from './routes.ts'
import { checkExport, type DueExport, startDue } from './start.ts'

export { findPlace, placesOf } from './definitions/store.ts'
export { type MadeFile, madeFile } from './file.ts'
export { exportObjects } from './objects.store.ts'
export { type Period, periodOf } from './period.ts'
export { plainName } from './start.ts'
export { zipOf } from './zip.ts'

export type ExportsFeature = ReturnType<typeof registerExports>

const cleanQueue = 'exports.clean'
const filesAtOnce = 100

/** Exports of values as files, made by background jobs. */
export function registerExports(
  ctx: Context,
  parts: {
    people: Pick<PeopleFeature, 'callerOf'>
    jobs: JobsFeature
    series: SeriesFeature
    dashboards: Pick<DashboardsFeature, 'print'>
  },
) {
  const { people, jobs, series, dashboards } = parts
  const tools = { ctx, jobs }
  ctx.mail.register([readyMail])
  jobs.define(exportKind('device-states-export', { ctx, callerOf: people.callerOf, series }))
  jobs.define(exportKind('bulk-device-states-export', { ctx, callerOf: people.callerOf, series }))
  jobs.define(boardKind({ ctx, callerOf: people.callerOf, dashboards }))
  ctx.jobs.work(cleanQueue, () => clean(ctx), { pollSeconds: 60 })
  ctx.jobs.schedule(cleanQueue, '17 3 * * *')
  return {
    routes: { exporting: { ...exportRoutes(tools), ...definitionRoutes(tools) } },
    /** Starts an export that was due at a time, see `startDue`. */
    startDue: (tx: Executor, caller: Caller, due: DueExport) => startDue(tools, tx, caller, due),
    /** Starts to print a dashboard, see `startBoard`. */
    startBoard: (tx: Executor, caller: Caller, due: DueBoard) => startBoard(tools, tx, caller, due),
    /** Refuses an export that could not run at a time, see `checkExport`. */
    check: (caller: Caller, request: Parameters<typeof checkExport>[2], at: Date): Promise<void> =>
      checkExport(tools, caller, request, at),
  }
}

/** Deletes the files whose time is over. */
async function clean({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<void> {
  for (;;) {
    const ids = await findOutdated(db, clock.now(), filesAtOnce)
    for (const id of ids) {
      await db.transaction().execute(async (tx) => {
        await forgetFile(tx, id)
        await deletePieces(tx, id)
      })
    }
    if (ids.length < filesAtOnce) return
  }
}
