import type { Context } from '../../platform/context.ts'
import { installLibrary } from './install.ts'
import { ElixirParsers } from './parsers/elixir.ts'
import { UrlParsers } from './parsers/url.ts'
import { dispatcherRoutes, driverRoutes } from './routes.ts'
import type { ParserTools } from './run.ts'

export { requireScript } from './check.ts'
export { decodeLimits, type Flattened, flattenOutput, type Measurement, readTime } from './decode.ts'
export { canUseDriver, findUsableDrivers, requireDriver } from './drivers.ts'
export { requireExpressions } from './health/check.ts'
export { judgeExpressions, remembered } from './health/expressions.ts'
export {
  faultEntries,
  type HealthEntryInfo,
  type HealthPlan,
  judge,
  planOf,
  type Verdict,
} from './health/plan.ts'
export { driverObjects } from './objects.store.ts'
export type { ParserSecret } from './parsers/bearer.ts'
export { isRemote, passingFailures } from './parsers/remote.ts'
export { requireManage } from './policy.ts'
export {
  type Decoded,
  type DriverPacket,
  decodePackets,
  type ParserTools,
  type RunnableDriver,
  runDriver,
  scriptProblem,
} from './run.ts'
export { isDriverOffered } from './sight.store.ts'
export { lockDriver, readParser } from './store.ts'

export type DriversFeature = ReturnType<typeof register>

/** Drivers: versions, golden packets, trying them on packets, and those that come with the platform. */
export function register(platform: Context) {
  const url = new UrlParsers(platform)
  const remote = { url, elixir: new ElixirParsers(platform.elixir) }
  const parsers: ParserTools = { scripts: platform.scripts, remote }
  const ctx = { ...platform, parsers }
  return {
    routes: { devicedrivers: driverRoutes(ctx), dispatcher: dispatcherRoutes(ctx) },
    /** what drivers are run with */
    parsers,
    start: async (): Promise<void> => {
      const installed = await installLibrary(ctx)
      if (installed) ctx.log.info({ installed }, 'delivered drivers installed')
    },
    [Symbol.asyncDispose]: () => url[Symbol.asyncDispose](),
  }
}
