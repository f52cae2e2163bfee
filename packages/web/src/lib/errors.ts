import { ORPCError } from '@orpc/client'
import i18next from 'i18next'
import { issueText } from './validation.ts'

/** An error in a form users can read. */
export interface ErrorInfo {
  code: string
  text: string
  /** Identifies the request in the server's log. */
  requestId: string | null
  status: number | null
  details: Record<string, unknown>
}

/**
 * Describes anything thrown: the locale's text for the code, else the server's message, else a general
 * sentence.
 */
export function describeError(error: unknown): ErrorInfo {
  if (error instanceof ORPCError) {
    const data: unknown = error.data
    const carried = typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}
    const details =
      typeof carried.details === 'object' && carried.details !== null
        ? (carried.details as Record<string, unknown>)
        : {}
    return {
      code: error.code,
      text: textOf(error.code, error.message, details),
      requestId: typeof carried.requestId === 'string' ? carried.requestId : null,
      status: error.status,
      details,
    }
  }
  const code = errorCodeOf(error)
  return { code, text: textOf(code, '', {}), requestId: null, status: null, details: {} }
}

function errorCodeOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'REQUEST_TIMEOUT'
  // `fetch` reports an unreachable server as a TypeError; the wording differs by browser.
  if (error instanceof TypeError && /fetch|network|load failed/i.test(error.message)) return 'NETWORK_ERROR'
  return 'UNKNOWN'
}

/** The permission that is missing: the one that was refused, or the first of those that would do. */
function missingPermission({ subject, action, needed }: Record<string, unknown>): string | null {
  if (typeof subject === 'string' && typeof action === 'string') {
    const names = {
      subject: `permissions.subjects.${subject.replace('.', '_')}`,
      action: `permissions.actions.${action}`,
    }
    if (!i18next.exists(names.subject) || !i18next.exists(names.action)) return null
    return i18next.t('errors.noPermissionFor', {
      subject: i18next.t(names.subject),
      action: i18next.t(names.action),
    })
  }
  if (typeof needed !== 'object' || needed === null) return null
  const list: unknown = Array.isArray(needed) ? needed[0] : 'any' in needed ? needed.any : needed
  const first: unknown = Array.isArray(list) ? list[0] : list
  return typeof first === 'object' && first !== null && !('needed' in first)
    ? missingPermission(first as Record<string, unknown>)
    : null
}

function textOf(code: string, message: string, details: Record<string, unknown>): string {
  const missing = code === 'NO_PERMISSION' ? missingPermission(details) : null
  if (missing !== null) return missing
  const key = `errors.${code}`
  if (i18next.exists(key)) return i18next.t(key, details)
  return message && message !== code ? message : i18next.t('errors.UNKNOWN')
}

/** An error of one field, from `data.issues` of a validation error. */
export interface FieldIssue {
  path: string
  message: string
}

/** A validation error's field errors (`data.issues: [{ path, message }]`), empty for other errors. */
export function fieldIssues(error: unknown): FieldIssue[] {
  const { issues } = describeError(error).details
  if (!Array.isArray(issues)) return []
  return issues.flatMap((issue: unknown) => {
    if (typeof issue !== 'object' || issue === null) return []
    const { path } = issue as { path?: unknown }
    const joined = Array.isArray(path) ? path.join('.') : typeof path === 'string' ? path : undefined
    return joined === undefined ? [] : [{ path: joined, message: messageOf(issue) }]
  })
}

/**
 * In the user's language: what the schema expects or its known sentence, else that the format is wrong. What the server
 * says without a schema stays as it is if it is not known: it may quote the user's script.
 */
function messageOf(issue: object): string {
  const { code, message, text, params } = issue as Record<string, unknown>
  if (typeof code === 'string') return issueText(issue as Parameters<typeof issueText>[0])
  const said = typeof message === 'string' ? message : ''
  const key = `validation.custom.${typeof text === 'string' ? text : said}`
  return i18next.exists(key) ? i18next.t(key, { ...(params as object) }) : said
}
