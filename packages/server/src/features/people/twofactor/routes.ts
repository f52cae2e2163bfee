import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { os } from '../../../platform/http/implement.ts'
import { demandTwoFactor, findAccount } from '../../accounts/index.ts'
import { recordActivity } from '../../activity/index.ts'
import { groundsChanged, readGrants, requireHeld, rightsGained } from '../../rights/index.ts'
import { demandProof } from '../attempts.ts'
import { notify } from '../notices.ts'
import { passwordFits } from '../password.ts'
import { languageOf } from '../passwords/mails.ts'
import { ownSelf, userIdOf } from '../person.ts'
import { aboutUser } from '../sessions/about.ts'
import { endOtherSessions, isSignOnSince } from '../sessions/store.ts'
import type { Sessions } from '../sessions.ts'
import { readUser } from '../store/users.ts'
import type { SecondFactor } from './factor.ts'
import { countRecoveryCodes, deleteFactor, readDemand } from './store.ts'
import { uriOf } from './totp.ts'

/** How long a single sign-on counts as proof of identity. */
const freshSignOnMs = 10 * 60_000

export function twoFactorRoutes(ctx: Context, sessions: Sessions, factor: SecondFactor) {
  const { db } = ctx
  const isDemanded = async (accountId: number) => {
    const demand = await readDemand(db, accountId)
    return demand !== undefined && (demand.required || demand.inherited)
  }
  const demandCode = (userId: number, code: string, ip: string) =>
    demandProof(ctx, userId, '2FA_TOKEN_FAILURE', async () =>
      db.transaction().execute(async (tx) => (await factor.accept(tx, userId, code, ip)) !== null),
    )
  return {
    status: os.twofactor.status.handler(async ({ context: { caller } }) => {
      const userId = userIdOf(caller)
      const user = await readUser(db, userId)
      return {
        enabled: await factor.isEnabled(userId),
        required: user !== undefined && (await isDemanded(user.account_id)),
        recoveryCodesLeft: await countRecoveryCodes(db, userId),
        hasPassword: user !== undefined && user.password_hash !== null,
      }
    }),
    setUp: os.twofactor.setUp.handler(async ({ input, context: { caller } }) => {
      const { userId, sessionId } = ownSelf(caller)
      const user = await readUser(db, userId)
      if (user?.password_hash === null) await requireFreshSignOn(ctx, sessionId)
      else
        await demandProof(ctx, userId, 'AUTH_LOGIN_PASSWORD_MISMATCH', () =>
          passwordFits(user?.password_hash ?? null, input.password ?? ''),
        )
      // An unconfirmed secret changes nothing yet; `enable` writes the activity entry.
      const secret = await factor.begin(db, userId)
      const { name } = await ctx.brands.of(db, user?.account_id ?? null)
      return { secret, uri: uriOf(secret, caller.name, name[languageOf(user?.properties)]) }
    }),
    enable: os.twofactor.enable.handler(async ({ input, context: { caller } }) => {
      const { userId, sessionId } = ownSelf(caller)
      const recoveryCodes = await db.transaction().execute(async (tx) => {
        const codes = await factor.confirm(tx, userId, input.code)
        // Ends sessions that were begun with the password alone.
        await endOtherSessions(tx, userId, sessionId)
        await recordActivity(tx, caller, { action: 'enableTwoFactor', ...(await aboutUser(tx, userId)) })
        await notify(ctx, tx, userId, 'factorOn')
        return codes
      })
      sessions.forgetUsers([userId])
      return { recoveryCodes }
    }),
    disable: os.twofactor.disable.handler(async ({ input, context: { caller } }) => {
      const { userId } = ownSelf(caller)
      const about = await aboutUser(db, userId)
      if (about.accountId !== null && (await isDemanded(about.accountId))) throw new AppError('2FA_DEMANDED')
      if (!(await factor.isEnabled(userId))) throw new AppError('2FA_NOT_SET_UP')
      await demandCode(userId, input.code, caller.ip)
      await db.transaction().execute(async (tx) => {
        await deleteFactor(tx, userId)
        await recordActivity(tx, caller, { action: 'disableTwoFactor', ...about })
        await notify(ctx, tx, userId, 'factorOff')
      })
      sessions.forgetUsers([userId])
      return { ok: true as const }
    }),
    renewCodes: os.twofactor.renewCodes.handler(async ({ input, context: { caller } }) => {
      const { userId } = ownSelf(caller)
      if (!(await factor.isEnabled(userId))) throw new AppError('2FA_NOT_SET_UP')
      await demandCode(userId, input.code, caller.ip)
      const recoveryCodes = await db.transaction().execute(async (tx) => {
        await recordActivity(tx, caller, { action: 'renewRecoveryCodes', ...(await aboutUser(tx, userId)) })
        await notify(ctx, tx, userId, 'recoveryCodesRenewed')
        return factor.renewCodes(tx, userId)
      })
      return { recoveryCodes }
    }),
    reset: os.twofactor.reset.handler(async ({ input: { id }, context: { caller } }) => {
      ownSelf(caller)
      await requireLesser(db, caller, id)
      if (!(await factor.isEnabled(id))) throw new AppError('2FA_NOT_SET_UP')
      await db.transaction().execute(async (tx) => {
        await deleteFactor(tx, id)
        await endOtherSessions(tx, id, null)
        await recordActivity(tx, caller, { action: 'disableTwoFactor', ...(await aboutUser(tx, id)) })
        await notify(ctx, tx, id, 'factorOff')
      })
      sessions.forgetUsers([id])
      return { ok: true as const }
    }),
    ...accountRoutes(ctx, sessions),
  }
}

/** Users without a password have to sign in again instead. @throws AppError SSO_SIGN_IN_AGAIN */
async function requireFreshSignOn({ db, clock }: Context, sessionId: number): Promise<void> {
  const since = new Date(clock.now().getTime() - freshSignOnMs)
  if (!(await isSignOnSince(db, sessionId, since))) throw new AppError('SSO_SIGN_IN_AGAIN')
}

/** @throws AppError USER_NOT_FOUND, NO_PERMISSION when the user has rights the caller lacks */
async function requireLesser(db: Executor, caller: Caller, userId: number): Promise<void> {
  const user = await readUser(db, userId)
  const scopeIds = caller.scopeIds('UserManagement', 'manage')
  if (!user || !(await findAccount(db, user.account_id, scopeIds)))
    throw new AppError('USER_NOT_FOUND', { id: userId })
  requireHeld(await rightsGained(db, [], await readGrants(db, userId), caller))
}

function accountRoutes({ db }: Context, sessions: Sessions) {
  const accountOf = async (caller: Caller, id: number) => {
    const account = await findAccount(db, id, caller.scopeIds('UserManagement', 'manage'))
    const demand = await readDemand(db, id)
    if (!account || !demand) throw new AppError('TENANT_NOT_FOUND', { id })
    return { account, demand }
  }
  return {
    ofAccount: os.twofactor.ofAccount.handler(
      async ({ input, context: { caller } }) => (await accountOf(caller, input.id)).demand,
    ),
    demand: os.twofactor.demand.handler(async ({ input, context: { caller } }) => {
      const { id, version, required } = input
      const { account, demand } = await accountOf(caller, id)
      await db.transaction().execute(async (tx) => {
        if (!(await demandTwoFactor(tx, id, version, required))) throw new AppError('VERSION_CONFLICT')
        await recordActivity(tx, caller, {
          action: 'update',
          subject: 'Tenant',
          objectId: id,
          objectTitle: account.name,
          accountId: id,
          changes: { twoFactorRequired: [demand.required, required] },
        })
      })
      sessions.forget(groundsChanged('account_lines', [id]))
      return (await accountOf(caller, id)).demand
    }),
  }
}
