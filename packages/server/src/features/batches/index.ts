import type { Context } from '../../platform/context.ts'
import type { HealthFeature } from '../health/index.ts'
import type { JobsFeature } from '../jobs/index.ts'
import type { PeopleFeature } from '../people/index.ts'
import { editKind, importKind } from './jobs.ts'
import { bulkRoutes, bulkUpdateRoute } from './routes.ts'
import { deleteOldUploads } from './store.ts'
import { twinBulkRoutes, twinEditKind } from './twinEdit.ts'
import { twinUndoKind, twinUndoRoutes } from './twinUndo.ts'

export { RowReader, suggestFrom } from './cells.ts'
export { chooser } from './check.ts'
export { processPage, processRows, retryParams, rowResult } from './jobs.ts'
export { importTable } from './routes.ts'
export { deleteUpload, findParents, findUpload } from './store.ts'
export { inTurns } from './turns.ts'
export { faultyOf, importRowsOf, refuseFaulty, takeFile } from './uploads.ts'

const cleanQueue = 'bulk.clean'
/** Files that are not imported are kept this long. */
const uploadKeptMs = 24 * 3_600_000

/** Bulk edits of devices and twins, and imports of devices. */
export function registerBatches(
  ctx: Context,
  {
    jobs,
    people: { callerOf },
    health,
  }: {
    jobs: JobsFeature
    people: Pick<PeopleFeature, 'callerOf'>
    health: Pick<HealthFeature, 'recomputeHealth'>
  },
) {
  const { recomputeHealth } = health
  jobs.define(editKind({ ctx, callerOf, recomputeHealth }))
  jobs.define(importKind({ ctx, callerOf }))
  jobs.define(twinEditKind({ ctx, callerOf }))
  jobs.define(twinUndoKind({ ctx, callerOf }))
  const clean = () => deleteOldUploads(ctx.db, new Date(ctx.clock.now().getTime() - uploadKeptMs))
  ctx.jobs.work(cleanQueue, clean, { pollSeconds: 60 })
  ctx.jobs.schedule(cleanQueue, '23 * * * *')
  return {
    routes: {
      bulk: {
        ...bulkRoutes({ ctx, jobs, recomputeHealth }),
        update: bulkUpdateRoute({ ctx, recomputeHealth }),
      },
      twinBulk: twinBulkRoutes({ ctx, jobs }),
      twinUndo: twinUndoRoutes({ ctx, jobs }),
    },
  }
}
