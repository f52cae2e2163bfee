import type { Context } from '../../platform/context.ts'
import { overviewRoutes } from './routes.ts'

/** All states one may see, in one table. */
export function registerOverview(ctx: Context) {
  return { routes: { stateOverview: overviewRoutes(ctx) } }
}
