import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { releaseAttempt, reserveAttempt } from './store/attempts.ts'

/**
 * Asks a signed-in user to prove their identity again. Attempts are limited, so that an open browser does not
 * allow guessing. They are counted separately from failed sign-ins, so strangers cannot lock the user out
 * here.
 * @param proof resolves to whether the proof was correct
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
    // Nothing was compared, so this does not count as an attempt.
    await releaseAttempt(db, counter)
    throw error
  })
  if (!proven) throw new AppError(wrong)
  await releaseAttempt(db, counter)
}
