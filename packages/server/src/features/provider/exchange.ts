import { randomBytes } from 'node:crypto'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import {
  aboutUser,
  hashToken,
  ownSelf,
  readUser,
  type Sessions,
  toSessionAccess,
  toSessionUser,
} from '../people/index.ts'
import { insertExchangeCode, takeExchangeCode } from './exchange.store.ts'

const codeLastsMs = 60_000

/**
 * Hands a session over by a code that works once, for a minute, and only while the session that created it
 * lasts. Not available while impersonating, or to keys and applications.
 */
export function exchangeRoutes({ db, clock }: Context, sessions: Sessions) {
  return {
    code: os.exchange.code.handler(async ({ context: { caller } }) => {
      const { userId, sessionId } = ownSelf(caller)
      const code = randomBytes(32).toString('base64url')
      const expiresAt = new Date(clock.now().getTime() + codeLastsMs)
      await db.transaction().execute(async (tx) => {
        await insertExchangeCode(tx, { codeHash: hashToken(code), userId, sessionId, expiresAt })
        await recordActivity(tx, caller, {
          action: 'handOn',
          ...(await aboutUser(tx, userId)),
          isChange: false,
        })
      })
      return { exchangeCode: code, expiresAt: expiresAt.toISOString() }
    }),
    token: os.exchange.token.handler(async ({ input, context }) => {
      const { ip, userAgent } = context
      const { user, token, expiresAt } = await db.transaction().execute(async (tx) => {
        const handed = await takeExchangeCode(tx, hashToken(input.exchange_code), clock.now())
        const found = handed && (await readUser(tx, handed.userId))
        if (!handed || !found?.active) throw new AppError('EXCHANGE_CODE_ERROR')
        const { ssoClientId, factorByProvider } = handed
        const through = ssoClientId === null ? {} : { ssoClientId, factorByProvider }
        const begun = await sessions.begin(tx, { userId: found.id, ip, userAgent, ...through })
        const caller = { userId: found.id, name: found.username, ip }
        const about = await aboutUser(tx, found.id)
        await recordActivity(tx, caller, {
          action: 'login',
          ...about,
          changes: { with: 'exchangeCode' },
          isChange: false,
        })
        return { ...begun, user: found }
      })
      return {
        token,
        expiresAt: expiresAt.toISOString(),
        user: toSessionUser(user),
        access: toSessionAccess(await sessions.rightsOf(user.id)),
        needsTwoFactor: (await sessions.callerOf(token, ip))?.needsTwoFactor ?? false,
      }
    }),
  }
}
