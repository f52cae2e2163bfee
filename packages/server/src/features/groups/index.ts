import type { Context } from '../../platform/context.ts'
import { stateViewRoutes, twinViewRoutes, viewRoutes } from './routes.ts'

export { templatesOfView } from './templates.ts'

/** Saved filters of lists. */
export function registerGroups(ctx: Context) {
  return { routes: { view: viewRoutes(ctx), stateView: stateViewRoutes(ctx), twinView: twinViewRoutes(ctx) } }
}
