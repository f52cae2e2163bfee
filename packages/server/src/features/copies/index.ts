import type { Context } from '../../platform/context.ts'
import type { JobsFeature } from '../jobs/index.ts'
import type { PeopleFeature } from '../people/index.ts'
import type { RulesFeature } from '../rules/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { duplicateKind } from './duplicate.ts'
import { copyRoutes } from './routes.ts'

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
    rules: Pick<RulesFeature, 'add' | 'changed'>
    series: Pick<SeriesFeature, 'recompute'>
  },
) {
  const tools = { ctx, ...features }
  jobs.define(duplicateKind({ ...tools, callerOf }))
  return { routes: { twinCopy: copyRoutes({ ...tools, jobs }) } }
}
