import type { Context } from '../../../platform/context.ts'
import type { JobsFeature } from '../../jobs/index.ts'
import type { PeopleFeature } from '../../people/index.ts'
import { editKind, importKind } from './jobs.ts'
import { bulkRoutes, bulkUpdateRoute } from './routes.ts'
import { deleteOldUploads } from './store.ts'

const cleanQueue = 'bulk.clean'
/** Files nobody imports are kept this long. */
const uploadKeptMs = 24 * 3_600_000

/** Bulk edits and imports of devices. */
export function registerBulk(
  ctx: Context,
  tools: {
    jobs: JobsFeature
    people: Pick<PeopleFeature, 'callerOf'>
    remakeHealth: (ids: readonly number[]) => Promise<void>
  },
) {
  const { jobs, remakeHealth } = tools
  const { callerOf } = tools.people
  jobs.define(editKind({ ctx, callerOf, remakeHealth }))
  jobs.define(importKind({ ctx, callerOf }))
  ctx.jobs.work(cleanQueue, () =>
    deleteOldUploads(ctx.db, new Date(ctx.clock.now().getTime() - uploadKeptMs)),
  )
  ctx.jobs.schedule(cleanQueue, '23 * * * *')
  return { routes: bulkRoutes({ ctx, jobs, remakeHealth }), update: bulkUpdateRoute({ ctx, remakeHealth }) }
}
