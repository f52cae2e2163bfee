import type { Context } from '../../platform/context.ts'
import { viewRoutes } from './routes.ts'

export { templatesOfView } from './templates.ts'

/** Filters of devices that are kept under a name. */
export function registerGroups(ctx: Context) {
  return { routes: { view: viewRoutes(ctx) } }
}
