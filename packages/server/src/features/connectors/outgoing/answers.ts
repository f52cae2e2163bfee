import { AppError } from '../../../platform/errors.ts'
import { type Attempt, failed } from './types.ts'

/** HTTP statuses that ask for a retry. */
export const busyStatus: ReadonlySet<number> = new Set([408, 425, 429, 503])

/** Errors raised before any part of the request can have reached the server. */
const beforeSending: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EPROTO'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'],
])

export function wasNotSent(error: unknown): boolean {
  if (error instanceof AppError) return true
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && beforeSending.has(code)
}

/** What an HTTP status says about a message. The body of the answer is not kept: it is for the sender only. */
export function attemptOfStatus(status: number): Attempt {
  if (status >= 200 && status < 300) return { outcome: 'taken' }
  const detail = `HTTP ${status}`
  if (busyStatus.has(status)) return failed('again', 'overloaded', detail)
  return status >= 500 ? failed('again', 'refused', detail) : failed('never', 'refused', detail)
}

/** What an error of a request says about a message. */
export function attemptOfError(error: unknown): Attempt {
  if (error instanceof AppError && error.code === 'OUTGOING_ADDRESS_FORBIDDEN')
    return failed('never', 'forbidden')
  return wasNotSent(error) ? failed('again', 'unreachable') : failed('unknown', 'noAnswer')
}
