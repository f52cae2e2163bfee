import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'

/**
 * What belongs to a person is closed to programs with a key and to applications that act for the person.
 * @throws AppError NO_PERMISSION
 */
export function userIdOf(caller: Caller): number {
  if (caller.userId === null || caller.application) throw new AppError('NO_PERMISSION')
  return caller.userId
}

/**
 * Passwords, second factors, sessions and keys of a person are closed to those who only act as this person.
 * @throws AppError NO_PERMISSION, AUTH_IMPERSONATING
 */
export function ownSelf(caller: Caller): { userId: number; sessionId: number } {
  const userId = userIdOf(caller)
  if (caller.impersonator) throw new AppError('AUTH_IMPERSONATING')
  if (caller.sessionId === undefined) throw new AppError('NO_PERMISSION')
  return { userId, sessionId: caller.sessionId }
}
