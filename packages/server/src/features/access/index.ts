import type { Context } from '../../platform/context.ts'
import type { ChangedIds } from '../../platform/db/notices.ts'
import type { Authenticate } from '../../platform/http/api.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { ApiKeys } from './apikeys/keys.ts'
import { prepareFirstStart } from './bootstrap.ts'
import { recheckDomains, releaseReserved } from './domains/recheck.ts'
import { callerOf, type Errand } from './errand.ts'
import { deviceLastsMs, networkLastsMs } from './known.ts'
import { Login, lockedQueue } from './login.ts'
import { administratorsCover } from './mailGuard.ts'
import { mailLock } from './notices.ts'
import { Passwords } from './passwords/passwords.ts'
import { forgottenQueue } from './passwords/routes.ts'
import { deleteEndedTokens } from './passwords/store.ts'
import { renewKeys } from './provider/keys.ts'
import { mountProvider } from './provider/mount.ts'
import { OAuthProvider } from './provider/provider.ts'
import { deleteEndedRecords } from './provider/records.store.ts'
import { ApplicationTokens } from './provider/tokens.ts'
import { accessRoutes } from './routes.ts'
import { deleteEndedSessions } from './sessions/store.ts'
import { Sessions } from './sessions.ts'
import { SsoClients } from './sso/clients.ts'
import { mountSso } from './sso/http.ts'
import { SsoLogin } from './sso/login.ts'
import { deleteOldAnswers } from './sso/store.ts'
import { type Asker, standingOf } from './standing.ts'
import { deleteSessionsOf, findSuperAdmin } from './store/access.ts'
import { deleteOldUnknown } from './store/attempts.ts'
import { readCountedAccounts } from './store/counted.ts'
import { deleteOldKnown } from './store/known.ts'
import { SecondFactor } from './twofactor/factor.ts'
import { invitations } from './users/invite.ts'
import { Users } from './users/users.ts'

export { requireAccount } from './accounts/account.ts'
export {
  bulkDevicesMaxOf,
  demandRoomForDevices,
  demandRoomForFiles,
  demandRoomForTemplates,
} from './accounts/limits.ts'
export { type FirstSignIn, resetAdmin } from './bootstrap.ts'
export { beginErrand, Errand } from './errand.ts'
export { scopesWithIntegration } from './integrations/store.ts'
export { accountObjects } from './objects.store.ts'
export { hashPassword } from './password.ts'
export { languageOf } from './passwords/mails.ts'
export { userIdOf } from './person.ts'
export { aboutUser, homeAccountOf } from './sessions/about.ts'
export { Asker, askerOf } from './standing.ts'

export type AccessFeature = ReturnType<typeof register>

/** Operations that change who may do what; a twin can bring a scope of its own. */
const changesRights =
  /^\/api\/(auth|user|acl|scope|tenant|digitaltwin(?!\/(states|device-templates)\b))(\/|$)/
const cleanQueue = 'access.clean'
const domainsQueue = 'access.domains'
const demoUserAgent = 'demo city'

/** Accounts, users, roles, sessions: who may come in and what they may do. */
export function register(ctx: Context) {
  const { sessionIdleMinutes, sessionMaxHours } = ctx.config
  const sessions = new Sessions(ctx.db, ctx.clock, {
    idleMs: sessionIdleMinutes * 60_000,
    maxMs: sessionMaxHours * 3_600_000,
  })
  ctx.mail.guardWith(administratorsCover)
  const factor = new SecondFactor(ctx)
  const login = new Login(ctx, sessions, factor)
  const passwords = new Passwords(ctx, sessions)
  const keys = new ApiKeys(ctx)
  const users = new Users(ctx, invitations(ctx))
  const ssoClients = new SsoClients(ctx)
  const ssoLogin = new SsoLogin(ctx, sessions, factor)
  mountSso(ctx, ssoClients, ssoLogin)
  const tokens = new ApplicationTokens(ctx, sessions)
  const oauth = new OAuthProvider(ctx, () => tokens.forget())
  mountProvider(ctx, oauth)
  const forgetRights = () => {
    sessions.forget()
    keys.forget()
    tokens.forget()
  }
  for (const table of ['accounts', 'account_modules', 'scopes', 'roles', 'user_access'] as const) {
    ctx.configChanges.on(table, () => {
      forgetRights()
      ctx.live.recheck()
    })
  }
  for (const table of ['users', 'sessions', 'second_factors'] as const) {
    ctx.configChanges.on(table, (ids) => {
      if (ids === '*') sessions.forget()
      else sessions.forgetUsers(ids)
      tokens.forget()
      ctx.live.recheck((caller) => concernsOneOf(caller, ids))
    })
  }
  for (const table of ['applications', 'application_grants', 'oauth_records'] as const)
    ctx.configChanges.on(table, () => {
      tokens.forget()
      ctx.live.recheck(({ application }) => application !== undefined)
    })
  ctx.configChanges.on('oauth_keys', () => oauth.forget())
  ctx.configChanges.on('api_keys', (ids) => keys.forget(ids === '*' ? undefined : ids))
  ctx.jobs.work<{ email: string; ip: string }>(forgottenQueue, ({ email, ip }) =>
    passwords.sendLink(email, ip),
  )
  ctx.jobs.work<{ userId: number | null; ip: string }>(lockedQueue, async ({ userId, ip }) => {
    if (userId !== null) await mailLock(ctx, userId, ip)
  })
  const clean = async () => {
    await deleteEndedSessions(ctx.db, ctx.clock.now())
    await deleteEndedTokens(ctx.db, ctx.clock.now())
    await deleteOldUnknown(ctx.db, ctx.clock.now())
    const ago = (ms: number) => new Date(ctx.clock.now().getTime() - ms)
    await deleteOldKnown(ctx.db, ago(deviceLastsMs), ago(networkLastsMs))
    await deleteOldAnswers(ctx.db, ctx.clock.now())
    await deleteEndedRecords(ctx.db, ctx.clock.now())
    await renewKeys(ctx)
  }
  ctx.jobs.work(cleanQueue, clean)
  ctx.jobs.schedule(cleanQueue, '17 3 * * *')
  const checkDomains = (signal: AbortSignal) => recheckDomains(ctx, signal)
  ctx.jobs.work(domainsQueue, (_data, { signal }) => checkDomains(signal), { timeoutSeconds: 3600 })
  ctx.jobs.schedule(domainsQueue, '41 4 * * *')

  const authenticate: Authenticate = (token, ip) =>
    ApplicationTokens.isOne(token) ? tokens.callerOf(token, ip) : sessions.callerOf(token, ip)
  const standing = (asker: Asker) => standingOf({ db: ctx.db, sessions, keys, tokens }, asker)
  return {
    routes: accessRoutes(ctx, {
      sessions,
      login,
      factor,
      passwords,
      keys,
      users,
      tokens,
      oauth,
      ssoClients,
      ssoLogin,
    }),
    authenticate,
    authenticateKey: keys.authenticate,
    /** The accounts a person counts for where places are limited, nearest first, see `Holder` of the live connection. */
    accountsOf: ({ userId }: Caller): Promise<number[]> => readCountedAccounts(ctx.db, userId),
    /** Whoever work in the background is done for, with what he may do now. */
    callerOf: (errand: Errand): Promise<Caller> => callerOf(errand, standing),
    /** What somebody who asked for work in the background may do now; null when they would not be let in any more. */
    standingOf: standing,
    /** Makes the next request see rights that have just been changed, before the notification arrives. */
    forgetRights,
    /** Deletes what has ended and renews keys, as once a day; for tests. */
    clean,
    /** Looks for the proofs of all domains, as once a day; for tests. */
    checkDomains,
    start: () => releaseReserved(ctx),
    /** The same after an operation of the API that may have changed rights. */
    afterWrite: (path: string) => {
      if (changesRights.test(path)) forgetRights()
    },
    /** Creates what an empty database needs. */
    prepareFirstStart: () => prepareFirstStart(ctx),
    /**
     * A session of the system administrator for the demo city, which builds itself through the API like anybody else.
     * The one of an earlier start ends. Null when there is no system administrator.
     */
    lendDemoSession: async (): Promise<string | null> => {
      const admin = await findSuperAdmin(ctx.db)
      if (!admin) return null
      return ctx.db.transaction().execute(async (tx) => {
        await deleteSessionsOf(tx, admin.id, demoUserAgent)
        const { token } = await sessions.begin(tx, { userId: admin.id, ip: '', userAgent: demoUserAgent })
        return token
      })
    },
  }
}

/** Whether a caller is one of these users, or acts as one. */
function concernsOneOf({ userId, impersonator }: Caller, ids: ChangedIds): boolean {
  if (ids === '*') return true
  return (
    (userId !== null && ids.includes(userId)) ||
    (impersonator !== undefined && ids.includes(impersonator.userId))
  )
}
