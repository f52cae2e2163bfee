import type { Context } from '../../platform/context.ts'
import { HealthClock } from './clock.ts'
import { remakeNow } from './health.ts'
import { healthRoutes } from './routes.ts'

export { driverKey, ownKey } from './anew.ts'
export {
  evaluatedTime,
  followHealth,
  type HealthPacket,
  type Judged,
  judgeAgain,
  judgeHealth,
} from './packets.ts'
export { releaseTemplateConfig, setTemplateConfig } from './template.store.ts'

export type HealthFeature = ReturnType<typeof registerHealth>

/** Health of devices: what packets, the clock and people change about it. */
export function registerHealth(ctx: Context) {
  const clock = new HealthClock(ctx)
  return {
    routes: { virtualdevice: healthRoutes(ctx) },
    /**
     * Makes devices anew now whose configuration has changed, or that were disabled or enabled. The tables have noted
     * them: what fails here happens in the background.
     */
    remake: async (ids: readonly number[]): Promise<void> => {
      try {
        await remakeNow(ctx, ids)
      } catch (error) {
        ctx.log.warn({ err: error }, 'the health of devices is made anew in the background')
      }
    },
    start: async (): Promise<void> => clock.start(),
    /** Looks at every device the clock brings now, or whose health is to be made anew. */
    drain: (): Promise<void> => clock.settle(),
    [Symbol.asyncDispose]: (): Promise<void> => clock.stop(),
  }
}
