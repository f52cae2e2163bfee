import pg from 'pg'
import { AppError } from '../errors.ts'

/**
 * Classes of PostgreSQL errors caused by the database and not by the statement: connections, transaction
 * conflicts, exhausted resources (a full disk), operator intervention (a stop, a recovery), system errors.
 */
const passingClasses = ['08', '40', '53', '57', '58']
/** A statement that timed out would time out again. */
const tooLong = '57014'
/** Operating system errors of the connection. */
const passingCodes = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOSPC',
]
/** `pg` has no codes for its own errors about connections that were lost or could not be opened. */
const lostConnection =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired)/i

/** Another process has changed what a transaction builds on: it is repeated with what is stored now. */
export class OvertakenError extends Error {}

/**
 * Whether a failure is temporary and unrelated to the work itself, which is then retried without limit: the
 * database is unreachable or out of space, the platform is too busy, or another process was faster. Everything
 * else would fail again.
 */
export function isPassing(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'OVERLOADED'
  if (error instanceof pg.DatabaseError)
    return error.code !== tooLong && passingClasses.includes(error.code?.slice(0, 2) ?? '')
  if (error instanceof OvertakenError) return true
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  return passingCodes.includes(code ?? '') || lostConnection.test(error.message)
}
