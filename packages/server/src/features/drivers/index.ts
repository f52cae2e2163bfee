import type { Context } from '../../platform/context.ts'
import { installLibrary } from './install.ts'
import { dispatcherRoutes, driverRoutes } from './routes.ts'

export { requireScript } from './check.ts'
export { decodeLimits, type Flattened, flattenOutput, type Measurement, readTime } from './decode.ts'
export { requireDriver } from './drivers.ts'
export {
  type Decoded,
  type DriverPacket,
  decodePackets,
  type ParserTools,
  type RunnableDriver,
  runDriver,
  scriptProblem,
} from './run.ts'
export { isDriverOffered, readParser } from './store.ts'

/** Drivers: versions, golden packets, trying them on packets, and those that come with the platform. */
export function register(ctx: Context) {
  return {
    routes: { devicedrivers: driverRoutes(ctx), dispatcher: dispatcherRoutes(ctx) },
    start: async (): Promise<void> => {
      const installed = await installLibrary(ctx)
      if (installed) ctx.log.info({ installed }, 'delivered drivers installed')
    },
  }
}
