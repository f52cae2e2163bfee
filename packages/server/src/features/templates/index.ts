import type { Context } from '../../platform/context.ts'
import { templateRoutes } from './routes.ts'

/** Device templates: set-ups that many devices have in common. */
export function register(ctx: Context) {
  return { routes: { deviceTemplate: templateRoutes(ctx) } }
}
