import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { releaseAttempt, reserveAttempt } from './store/attempts.ts'

/**
 * Lets somebody who is signed in prove who he is once more, a few times in a row: whoever found an open browser cannot
 * guess on. Strangers who guess at the sign-in do not keep him from it, that is counted apart.
 * @param proof whether it was right
 * @throws AppError AUTH_LOGIN_TOO_MANY_WRONG_REQUESTS, or `wrong`
 */
export async function demandProof(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  userId: number,
  wrong: 'AUTH_LOGIN_PASSWORD_MISMATCH' | '2FA_TOKEN_FAILURE',
  proof: () => Promise<boolean>,
): Promise<void> {
  const counter = { kind: 'proof' as const, userId }
  const attempt = await reserveAttempt(db, counter, clock.now())
  if (attempt === 'locked') throw new AppError('AUTH_LOGIN_TOO_MANY_WRONG_REQUESTS')
  const proven = await proof().catch(async (error: unknown) => {
    // Nothing was compared: that is no guess.
    await releaseAttempt(db, counter)
    throw error
  })
  if (!proven) throw new AppError(wrong)
  await releaseAttempt(db, counter)
}
