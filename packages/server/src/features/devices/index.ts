import type { Context } from '../../platform/context.ts'
import { registerHealth } from './health/index.ts'
import { deviceRoutes } from './routes.ts'

export { requireDevice } from './devices.ts'
export { driverKey, evaluatedTime, followHealth, type HealthPacket, ownKey } from './health/index.ts'

/** Virtual devices and their health. */
export function register(ctx: Context) {
  const { clock, remake, routes } = registerHealth(ctx)
  return {
    routes: { virtualdevice: { ...deviceRoutes(ctx, { remakeHealth: remake }), ...routes } },
    start: async (): Promise<void> => clock.start(),
    /** Looks at every device the clock brings now, or whose health is to be made anew. */
    drain: (): Promise<void> => clock.settle(),
    [Symbol.asyncDispose]: (): Promise<void> => clock.stop(),
  }
}
