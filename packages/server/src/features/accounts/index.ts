import type { Context } from '../../platform/context.ts'
import { domainMails } from './domains/notices.ts'
import { recheckDomains, releaseReserved } from './domains/recheck.ts'
import { flagRoutes } from './flags/routes.ts'
import type { AccountHooks } from './hooks.ts'
import { testMail } from './mail-server.ts'
import { moduleRoutes, moduleRuleRoutes } from './modules/routes.ts'
import { accountRoutes } from './routes.ts'

export { requireAccount } from './account.ts'
export { domainOfHost } from './domains/host.ts'
export { accountOfDomain, provenDomainsOf } from './domains/store.ts'
export { readFlags } from './flags/store.ts'
export type { AccountHooks } from './hooks.ts'
export { scopesWithIntegration } from './integrations/store.ts'
export {
  bulkDevicesMaxOf,
  csvRowsMaxOf,
  demandRoomForDevices,
  demandRoomForFiles,
  demandRoomForTemplates,
} from './limits.ts'
export { readSwitches } from './modules/store.ts'
export { moduleStates } from './modules/switches.ts'
export { accountObjects } from './objects.store.ts'
export { deleteEmptyAccount } from './routes.ts'
export { demandTwoFactor, timeZoneOf } from './store.ts'
export { anyAccount, findAccount, insertAccount } from './tree.store.ts'

const domainsQueue = 'access.domains'

/** Accounts: their tree, limits, domains, modules, integrations and mail servers. */
export function registerAccounts(ctx: Context, hooks: AccountHooks) {
  ctx.mail.register([...domainMails, testMail])
  const notifying = { ...ctx, administratorsOf: hooks.administratorsOf }
  const checkDomains = (signal: AbortSignal) => recheckDomains(notifying, signal)
  ctx.jobs.work(domainsQueue, (_data, { signal }) => checkDomains(signal), {
    timeoutSeconds: 3600,
    pollSeconds: 60,
  })
  ctx.jobs.schedule(domainsQueue, '41 4 * * *')
  return {
    routes: {
      tenant: accountRoutes(notifying, hooks),
      flags: flagRoutes(ctx),
      module: { ...moduleRuleRoutes, ...moduleRoutes(ctx, hooks) },
    },
    /** Checks the proofs of all domains, as the daily job does; for tests. */
    checkDomains,
    start: () => releaseReserved(ctx),
  }
}
