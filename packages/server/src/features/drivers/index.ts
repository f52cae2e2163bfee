import type { Context } from '../../platform/context.ts'
import { installLibrary } from './install.ts'
import { dispatcherRoutes, driverRoutes } from './routes.ts'

export { requireScript } from './check.ts'
export { decodeLimits, type Flattened, flattenOutput, type Measurement, readTime } from './decode.ts'
export { requireDriver } from './drivers.ts'
export {
  type Decoded,
  type DriverPacket,
  driverSource,
  type RunnableDriver,
  runDriver,
  scriptProblem,
  toDecoded,
  toScriptInput,
} from './run.ts'
export { isDriverOffered } from './store.ts'

/** Drivers: versions, golden packets, trying them on packets, and those that come with the platform. */
export function register(ctx: Context) {
  return {
    routes: { devicedrivers: driverRoutes(ctx), dispatcher: dispatcherRoutes(ctx) },
    start: async (): Promise<void> => {
      const result = await installLibrary(ctx)
      if (result && result.installed + result.updated > 0) ctx.log.info(result, 'delivered drivers installed')
    },
  }
}
