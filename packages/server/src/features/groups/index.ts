import type { Context } from '../../platform/context.ts'
import { viewRoutes } from './routes.ts'

export { templatesOfView } from './templates.ts'

/** Saved device filters. */
export function registerGroups(ctx: Context) {
  return { routes: { view: viewRoutes(ctx) } }
}
