import type { Context } from '../../platform/context.ts'
import type { AccessFeature } from '../access/index.ts'
import type { JobsFeature } from '../jobs/index.ts'
import type { LinkTools } from './link.ts'
import { templateOfDeviceRoutes, templateRoutes } from './routes.ts'
import { linkKind, syncKind } from './sync.ts'

export { templateObjects } from './objects.store.ts'

/** Device templates: set-ups that many devices have in common. */
export function register(
  ctx: Context,
  {
    jobs,
    access,
    ...features
  }: Omit<LinkTools, 'ctx'> & { jobs: JobsFeature; access: Pick<AccessFeature, 'callerOf'> },
) {
  const tools = { ctx, ...features }
  const { callerOf } = access
  jobs.define(syncKind({ ...tools, callerOf }))
  jobs.define(linkKind({ ...tools, callerOf }))
  return {
    routes: {
      deviceTemplate: templateRoutes(ctx, jobs),
      virtualdevice: templateOfDeviceRoutes(tools),
    },
  }
}
