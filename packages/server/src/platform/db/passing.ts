import pg from 'pg'
import { AppError } from '../errors.ts'

/**
 * Classes of PostgreSQL's errors that are about the database and not about what it was asked: connections, conflicts of
 * transactions, resources that ran out (a full disk), an operator's intervention (a stop, a recovery), the system below.
 */
const passingClasses = ['08', '40', '53', '57', '58']
/** A statement that took too long would take as long again. */
const tooLong = '57014'
/** Of the system, when the database is reached through it. */
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
/** `pg` has no codes for what it says by itself about a connection that was lost or could not be had. */
const lostConnection =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired)/i

/**
 * Whether a failure says nothing about the work itself, which is then tried again for as long as it takes: the database
 * cannot be reached or has no room, or the platform is too busy. Everything else will fail again.
 */
export function isPassing(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'OVERLOADED'
  if (error instanceof pg.DatabaseError)
    return error.code !== tooLong && passingClasses.includes(error.code?.slice(0, 2) ?? '')
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  return passingCodes.includes(code ?? '') || lostConnection.test(error.message)
}
