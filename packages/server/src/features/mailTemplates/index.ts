import type { Context } from '../../platform/context.ts'
import { templateRoutes } from './routes.ts'

/** The words of the mails that the platform sends: accounts set them, accounts below inherit them. */
export function registerMailTemplates(ctx: Context) {
  return { routes: { mailTemplate: templateRoutes(ctx) } }
}
