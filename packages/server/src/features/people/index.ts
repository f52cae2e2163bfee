import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { changesRights, groundsChanged, type Rights } from '../rights/index.ts'
import { prepareFirstStart } from './bootstrap.ts'
import { actFor, callerOf, type Errand, type Owner } from './errand.ts'
import { failureRoutes, SignInFailures } from './failures/index.ts'
import { deviceLastsMs, networkLastsMs } from './known.ts'
import { Login, lockedQueue } from './login.ts'
import { mailLock, noticeMails } from './notices.ts'
import { changedMail, forgottenMail, invitationMail } from './passwords/mails.ts'
import { Passwords } from './passwords/passwords.ts'
import { forgottenQueue } from './passwords/routes.ts'
import { deleteEndedTokens } from './passwords/store.ts'
import { peopleRoutes } from './routes.ts'
import { deleteEndedSessions, endOtherSessions, findWithSessions } from './sessions/store.ts'
import { Sessions } from './sessions.ts'
import type { Asker } from './standing.ts'
import { deleteOldUnknown } from './store/attempts.ts'
import { readCountedAccounts } from './store/counted.ts'
import { deleteOldKnown } from './store/known.ts'
import { deleteSessionsOf, findSuperAdmin, isActive } from './store/users.ts'
import { SecondFactor } from './twofactor/factor.ts'
import { invitations } from './users/invite.ts'
import { Users } from './users/users.ts'
import { type WayIn, WaysIn } from './waysIn.ts'

export { demandProof } from './attempts.ts'
export { type FirstSignIn, resetAdmin } from './bootstrap.ts'
export { beginErrand, Errand, Owner, ownerOf } from './errand.ts'
export { forgetFavorites } from './favorites/store.ts'
export { toSessionAccess, toSessionUser } from './login.ts'
export { userObjects } from './objects.store.ts'
export { hashPassword, passwordFits } from './password.ts'
export { languageOf } from './passwords/mails.ts'
export { ownSelf, userIdOf } from './person.ts'
export { aboutUser, homeAccountOf } from './sessions/about.ts'
export { demandsFactor, endSessionsOfClient, lineOfUser, sessionBegun } from './sessions/store.ts'
export { type BegunSession, hashToken, type Sessions } from './sessions.ts'
export { Asker, askerOf } from './standing.ts'
export { readAdministrators } from './store/administrators.ts'
export { noteLogin, readUser } from './store/users.ts'
export type { SecondFactor } from './twofactor/factor.ts'
export { insertInvited } from './users/store.ts'
export type { WayIn } from './waysIn.ts'

export type PeopleFeature = ReturnType<typeof registerPeople>

const cleanQueue = 'access.clean'
const demoUserAgent = 'demo city'
/** How long a reply waits for the notices of its own changes; they take a few milliseconds. */
const noticesMs = 1_000

/** Users, how they sign in, and the caller of a request. */
export function registerPeople(ctx: Context) {
  const { sessionIdleMinutes, sessionMaxHours } = ctx.config
  const sessions = new Sessions(ctx.db, ctx.clock, {
    idleMs: sessionIdleMinutes * 60_000,
    maxMs: sessionMaxHours * 3_600_000,
  })
  ctx.mail.register([invitationMail, forgottenMail, changedMail, ...noticeMails])
  const ways = new WaysIn(ctx.db, sessions)
  const factor = new SecondFactor(ctx)
  const failures = new SignInFailures(ctx)
  const login = new Login(ctx, sessions, factor, failures)
  const passwords = new Passwords(ctx, sessions)
  const users = new Users(ctx, invitations(ctx))
  for (const table of changesRights)
    ctx.configChanges.on(table, (ids) => {
      const changed = groundsChanged(table, ids)
      ways.forget(changed)
      ctx.live.recheck(changed)
    })
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
  }
  ctx.jobs.work(cleanQueue, clean, { pollSeconds: 60 })
  ctx.jobs.schedule(cleanQueue, '17 3 * * *')

  const standingOf = (asker: Asker) => ways.standingOf(asker)
  const { authenticate, rightsOf } = ways
  return {
    routes: {
      ...peopleRoutes(ctx, { sessions, login, factor, passwords, users, rightsOf }),
      failedSignIn: failureRoutes(ctx),
    },
    /** Keeps sign-ins that failed. */
    failures,
    start: async () => failures.start(),
    drain: () => failures.flush(),
    [Symbol.asyncDispose]: () => failures.stop(),
    sessions,
    factor,
    authenticate,
    /** The rights of a caller and the scopes they see. */
    rightsOf,
    /** Lets a higher feature register a way to authenticate. */
    addWayIn: (way: WayIn) => ways.add(way),
    /**
     * The accounts whose limits a user counts towards, nearest first; see `Holder` of the live connection.
     */
    accountsOf: ({ userId }: Caller): Promise<number[]> => readCountedAccounts(ctx.db, userId),
    /** The caller of background work, with their current rights. */
    callerOf: (errand: Errand): Promise<Caller> => callerOf(errand, standingOf),
    /** Somebody who has set up background work, with the rights they have now; null when they have no access any more. */
    actFor: (owner: Owner): Promise<Caller | null> => actFor(owner, standingOf),
    /** The current rights of the user who started background work; null when they no longer have access. */
    standingOf,
    /** The current rights of a user, within a transaction; null when they no longer have access. */
    standingIn: async (tx: Executor, userId: number): Promise<Pick<Rights, 'scopeIds'> | null> =>
      (await isActive(tx, userId)) ? sessions.rightsIn(tx, userId) : null,
    /** Makes the next request read everything again, as if anything had changed; for tests. */
    forgetRights: (): void => ways.forget('*'),
    /**
     * Makes the next request see what is committed. Notices name whom it concerns, so it waits for these; only when
     * they do not arrive, everything is forgotten.
     */
    seeChanges: async (): Promise<void> => {
      if (!(await ctx.configChanges.heardWithin(noticesMs))) ways.forget('*')
    },
    /** Sessions of a user, found by user name or email. */
    revoking: {
      find: (db: Executor, login: string) => findWithSessions(db, login),
      /** Ends all sessions of a user, and forgets their browsers and networks. @returns how many */
      end: (tx: Executor, userId: number): Promise<number> => endOtherSessions(tx, userId, null),
      /** Makes the next request see it before the notification arrives. */
      ended: (userId: number): void => ways.forget(groundsChanged('users', [userId])),
    },
    /** Deletes expired rows, as the daily job does; for tests. */
    clean,
    /** Creates the first account, roles and administrator in an empty database. */
    prepareFirstStart: () => prepareFirstStart(ctx),
    /**
     * A session of the system administrator for the demo city, which builds itself through the API like any
     * client. Ends the session of an earlier start. Null when there is no system administrator.
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
    /** Ends the session of the demo city, so that it builds nothing more. */
    endDemoSession: async (tx: Executor): Promise<void> => {
      const admin = await findSuperAdmin(tx)
      if (admin) await deleteSessionsOf(tx, admin.id, demoUserAgent)
    },
  }
}
