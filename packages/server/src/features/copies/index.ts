import type { Context } from '../../platform/context.ts'
import type { AlarmsFeature } from '../alarms/index.ts'
import type { JobsFeature } from '../jobs/index.ts'
import type { PeopleFeature } from '../people/index.ts'
import type { RulesFeature } from '../rules/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { bulkDuplicateKind, bulkDuplicateRoutes } from './bulk/index.ts'
import { duplicateKind } from './duplicate.ts'
import { copyRoutes } from './routes.ts'
import { syncKind } from './synchronize.ts'

/** Copies of twins. */
export function register(
  ctx: Context,
  {
    jobs,
    people: { callerOf },
    ...features
  }: {
    jobs: JobsFeature
    people: Pick<PeopleFeature, 'callerOf'>
    alarms: Pick<AlarmsFeature, 'announce'>
    rules: Pick<RulesFeature, 'add' | 'changed' | 'keep'>
    series: Pick<SeriesFeature, 'recompute'>
  },
) {
  const tools = { ctx, ...features }
  jobs.define(duplicateKind({ ...tools, callerOf }))
  jobs.define(bulkDuplicateKind({ ...tools, callerOf }))
  jobs.define(syncKind({ ...tools, callerOf }))
  const all = { ...tools, jobs }
  return { routes: { twinCopy: copyRoutes(all), bulkDuplicate: bulkDuplicateRoutes(all) } }
}
