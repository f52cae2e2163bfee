import type { Context } from '../../platform/context.ts'
import { HealthClock } from './clock.ts'
import { recomputeNow } from './health.ts'
import { healthRoutes } from './routes.ts'

export { healthObjects } from './objects.store.ts'
export {
  evaluatedTime,
  followHealth,
  type HealthPacket,
  type Judged,
  judgeAgain,
  judgeHealth,
} from './packets.ts'
export { driverKey, ownKey } from './recompute.ts'
export { releaseTemplateConfig, setTemplateConfig } from './template.store.ts'

export type HealthFeature = ReturnType<typeof registerHealth>

/** Health of devices, changed by packets, time and users. */
export function registerHealth(ctx: Context) {
  const clock = new HealthClock(ctx)
  return {
    routes: { health: healthRoutes(ctx) },
    /**
     * Re-evaluates devices now whose configuration has changed, or that were disabled or enabled. They are
     * also in the refresh list, so failures here are made up for in the background.
     */
    recomputeHealth: async (ids: readonly number[]): Promise<void> => {
      try {
        await recomputeNow(ctx, ids)
      } catch (error) {
        ctx.log.warn({ err: error }, 'could not evaluate the health of devices in the background')
      }
    },
    start: async (): Promise<void> => clock.start(),
    /** Evaluates every device that is due now or in the refresh list. */
    drain: (): Promise<void> => clock.settle(),
    [Symbol.asyncDispose]: (): Promise<void> => clock.stop(),
  }
}
