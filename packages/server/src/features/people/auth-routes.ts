import type { ModuleKey } from '@leitstand/contract/permissions'
import type { Context } from '../../platform/context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { deviceCookie, sessionCookie } from '../../platform/http/credentials.ts'
import type { RequestContext } from '../../platform/http/implement.ts'
import { os } from '../../platform/http/implement.ts'
import { csvRowsMaxOf, readFlags } from '../accounts/index.ts'
import { recordActivity } from '../activity/index.ts'
import type { Rights, RightsOf } from '../rights/index.ts'
import { needsConsent } from './consent/consent.ts'
import { readTerms } from './consent/store.ts'
import { type Login, toSessionAccess, toSessionUser } from './login.ts'
import { userIdOf } from './person.ts'
import { aboutUser } from './sessions/about.ts'
import { endSession, endSessionById } from './sessions/store.ts'
import type { Sessions } from './sessions.ts'
import { hasDoorKeys, readUser } from './store/users.ts'

const noFlags = { flags: {} }

/**
 * Flags that show or hide parts of the console, in addition to permissions: those of the account, whether the
 * module of the data hub is off wherever the user has rights, and whether the user has keys of doors while that of keys is on.
 */
async function flagsOf(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { id, account_id: accountId }: { id: number; account_id: number },
  { scopes }: Rights,
) {
  const set = (await readFlags(db, accountId)).map(({ flag, effective }) => [flag, effective] as const)
  const flags: Record<string, boolean> = Object.fromEntries(set)
  const isOff = (module: ModuleKey) => scopes.every(({ modulesOff }) => modulesOff?.includes(module))
  const isHubOff = isOff('classicHub')
  const hasAccessKeys = !isOff('facility') && (await hasDoorKeys(db, id, clock.now()))
  return { flags: { ...flags, hideIotHub: flags.hideIotHub === true || isHubOff, hasAccessKeys } }
}

const nobody = {
  isAuthenticated: false,
  user: null,
  token: null,
  tenantId: null,
  access: null,
  impersonator: null,
  looking: false,
  isApiKey: false,
  needsTwoFactor: false,
  needsConsent: false,
  csvRowsMax: null,
  featureFlags: noFlags,
}

/** Signing in and out, and the current user. */
export function authRoutes({ db, clock }: Context, sessions: Sessions, login: Login, rightsOf: RightsOf) {
  return {
    login: os.auth.login.handler(async ({ input, context }) => {
      const { ip, userAgent, deviceToken } = context
      const signedIn = await login.signIn({ ...input, ip, userAgent, deviceToken })
      const { token, expiresAt, user, rights, device } = signedIn
      context.setCookie(sessionCookie, token, { expires: expiresAt })
      context.setCookie(deviceCookie, device.token, { expires: device.expiresAt })
      return {
        token,
        expiresAt: expiresAt.toISOString(),
        user: toSessionUser(user),
        access: toSessionAccess(rights),
        needsTwoFactor: (await sessions.callerOf(token, ip))?.needsTwoFactor ?? false,
      }
    }),
    verify: os.auth.verify.handler(async ({ context }) => {
      const { caller } = context
      if (caller.kind === 'apiKey' || caller.application) return verifyProgram(caller, rightsOf)
      const user = caller.userId === null ? undefined : await readUser(db, caller.userId)
      if (!user) return nobody
      const { impersonator } = caller
      const rights = await sessions.rightsOf(user.id)
      return {
        isAuthenticated: true,
        user: toSessionUser(user),
        token: await currentToken(context, sessions),
        tenantId: user.account_id,
        access: toSessionAccess(rights),
        impersonator: impersonator ? { id: impersonator.userId, name: impersonator.name } : null,
        looking: caller.looking ?? false,
        isApiKey: false,
        needsTwoFactor: caller.needsTwoFactor ?? false,
        // Terms cannot be accepted on behalf of another user.
        needsConsent: !impersonator && needsConsent(user.properties, await readTerms(db, user.account_id)),
        csvRowsMax: await csvRowsMaxOf(db, user.account_id),
        featureFlags: await flagsOf({ db, clock }, user, rights),
      }
    }),
    logout: os.auth.logout.handler(async ({ context }) => {
      const { caller, credentials } = context
      const userId = userIdOf(caller)
      const originalId = credentials.token ? await sessions.originalOf(credentials.token) : null
      await db.transaction().execute(async (tx) => {
        if (caller.sessionId !== undefined) await endSession(tx, userId, caller.sessionId)
        // Signing out while impersonating also ends the original session.
        if (originalId !== null) await endSessionById(tx, originalId)
        await recordActivity(tx, caller, {
          action: 'logout',
          ...(await aboutUser(tx, userId)),
          isChange: false,
        })
      })
      sessions.forgetUsers([userId, ...(caller.impersonator ? [caller.impersonator.userId] : [])])
      context.setCookie(sessionCookie, '')
      return { ok: true as const }
    }),
  }
}

/** The session of a program: an API key, or an application, which gets its user from another endpoint. */
async function verifyProgram(caller: Caller, rightsOf: RightsOf) {
  const needsTwoFactor = caller.needsTwoFactor ?? false
  return {
    ...nobody,
    isAuthenticated: true,
    isApiKey: caller.kind === 'apiKey',
    tenantId: caller.accountId ?? null,
    access: needsTwoFactor ? null : toSessionAccess(await rightsOf(caller)),
    needsTwoFactor,
  }
}

/** A token the caller does not have yet: that of the cookie, or the replacement of an old one. */
async function currentToken(context: RequestContext, sessions: Sessions): Promise<string | null> {
  const { credentials } = context
  if (credentials.token === null) return null
  const renewed = await sessions.renew(credentials.token)
  if (!renewed) return credentials.via === 'cookie' ? credentials.token : null
  if (credentials.cookieToken === credentials.token)
    context.setCookie(sessionCookie, renewed.token, { expires: renewed.expiresAt })
  return renewed.token
}
