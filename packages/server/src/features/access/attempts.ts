import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { releaseAttempt, reserveAttempt } from './store/attempts.ts'

/**
 * Lets somebody who is signed in prove who he is once more, with the count that also guards signing in: whoever found
 * an open browser cannot guess on.
 * @param proof whether it was right
 * @throws AppError AUTH_LOGIN_TOO_MANY_WRONG_REQUESTS, or `wrong`
 */
export async function demandProof(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  userId: number,
  wrong: 'AUTH_LOGIN_PASSWORD_MISMATCH' | '2FA_TOKEN_FAILURE',
  proof: () => Promise<boolean>,
): Promise<void> {
  const attempt = await reserveAttempt(db, userId, clock.now())
  if (attempt === 'locked') throw new AppError('AUTH_LOGIN_TOO_MANY_WRONG_REQUESTS')
  const proven = await proof().catch(async (error: unknown) => {
    // Nothing was compared: that is no guess.
    await releaseAttempt(db, userId)
    throw error
  })
  if (!proven) throw new AppError(wrong)
  await releaseAttempt(db, userId)
}
