import type { Context } from '../../platform/context.ts'
import type { JobsFeature } from '../jobs/index.ts'
import type { PeopleFeature } from '../people/index.ts'
import type { LinkTools } from './link.ts'
import { linkRoutes, templateDeviceRoutes, templateRoutes } from './routes.ts'
import { linkKind, syncKind } from './sync.ts'

export { templateObjects } from './objects.store.ts'

/** Device templates: configurations shared by many devices. */
export function register(
  ctx: Context,
  {
    jobs,
    people,
    ...features
  }: Omit<LinkTools, 'ctx'> & { jobs: JobsFeature; people: Pick<PeopleFeature, 'callerOf'> },
) {
  const tools = { ctx, ...features }
  const { callerOf } = people
  jobs.define(syncKind({ ...tools, callerOf }))
  jobs.define(linkKind({ ...tools, callerOf }))
  return {
    routes: {
      deviceTemplate: { ...templateRoutes(ctx, jobs), ...linkRoutes(tools) },
      virtualdevice: templateDeviceRoutes(tools),
    },
  }
}
