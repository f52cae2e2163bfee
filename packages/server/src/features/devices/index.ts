import type { Context } from '../../platform/context.ts'
import { deviceRoutes } from './routes.ts'

/** Virtual devices. */
export function register(ctx: Context) {
  return { routes: { virtualdevice: deviceRoutes(ctx) } }
}
