import type { Context } from '../../platform/context.ts'
import { installLibrary } from './install.ts'
import { kindOf, RemoteParsers, remoteKinds } from './parsers/index.ts'
import { dispatcherRoutes, driverRoutes } from './routes.ts'
import type { ParserTools, RunnableDriver } from './run.ts'

export { refuseUnaccepted, requireAccepted } from './acceptance/acceptance.ts'
export { listUnaccepted } from './acceptance/published.store.ts'
export { requireScript } from './check.ts'
export { decodeLimits, type Flattened, flattenOutput, type Measurement, readTime } from './decode.ts'
export { canUseDriver, findUsableDrivers, requireDriver } from './drivers.ts'
export { requireExpressions } from './health/check.ts'
export { type ExpressionInput, judgeExpressions, remembered } from './health/expressions.ts'
export {
  faultEntries,
  type HealthEntryInfo,
  type HealthPlan,
  judge,
  planOf,
  type Verdict,
} from './health/plan.ts'
export { advanceSync, endFinishedSyncs } from './health/store.ts'
export { titledFor, titleFor, titleToStore } from './library/titles.ts'
export { driverObjects } from './objects.store.ts'
export { passingFailures, remoteKinds } from './parsers/index.ts'
export type { ParserSecret } from './parsers/url/bearer.ts'
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
export { isDriverOffered, offeredTo, versionOfferedTo } from './sight.store.ts'
export { lockDriver, readParser } from './store.ts'

export type DriversFeature = ReturnType<typeof register>

type HasParser = Pick<RunnableDriver, 'parser'>

/** Whether a driver uses a remote parser, for which packets must wait. */
export const isRemote = ({ parser }: HasParser): boolean => remoteKinds.includes(parser.kind)
/** Whether a driver always returns the same result for a packet. */
export const isSteady = ({ parser }: HasParser): boolean => kindOf(parser).isUnsteady !== true
/** Whether a delivered driver may decode packets of several accounts in one call. */
export const canShareCalls = ({ parser }: HasParser): boolean => kindOf(parser).isApart !== true

/** Drivers: versions, golden packets, trials, and delivered drivers. */
export function register(platform: Context) {
  const remote = new RemoteParsers(platform)
  const parsers: ParserTools = { scripts: platform.scripts, remote: remote.byKind }
  const ctx = { ...platform, parsers }
  return {
    routes: { devicedrivers: driverRoutes(ctx), dispatcher: dispatcherRoutes(ctx) },
    /** what drivers are run with */
    parsers,
    start: async (): Promise<void> => {
      const installed = await installLibrary(ctx)
      if (installed) ctx.log.info({ installed }, 'delivered drivers installed')
    },
    [Symbol.asyncDispose]: () => remote[Symbol.asyncDispose](),
  }
}
