import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'

/**
 * Denies personal data to programs with a key and to applications that act for a user.
 * @throws AppError NO_PERMISSION
 */
export function userIdOf(caller: Caller): number {
  if (caller.userId === null || caller.application) throw new AppError('NO_PERMISSION')
  return caller.userId
}

/**
 * Denies access to passwords, second factors, sessions and keys while impersonating.
 * @throws AppError NO_PERMISSION, AUTH_IMPERSONATING
 */
export function ownSelf(caller: Caller): { userId: number; sessionId: number } {
  const userId = userIdOf(caller)
  if (caller.impersonator) throw new AppError('AUTH_IMPERSONATING')
  if (caller.sessionId === undefined) throw new AppError('NO_PERMISSION')
  return { userId, sessionId: caller.sessionId }
}
