import * as z from 'zod'
import type { Secrets } from '../../platform/secrets.ts'

/** Time limit at the provider, and for the second factor afterwards. */
export const attemptLastsMs = 10 * 60_000
/** Short enough for both payloads to fit into a cookie of 4 kB. */
export const redirectLengthMax = 1500
export const attemptCookie = 'leitstand_sso'
export const waitingCookie = 'leitstand_sso_factor'

/** A sign-in in progress; the callback is checked against it. */
const Attempt = z.object({
  clientId: z.int(),
  version: z.int(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** address of the console it was begun in, where the callback has to arrive */
  origin: z.string(),
  redirectUri: z.string(),
  /** console path to open after the sign-in */
  redirect: z.string(),
  until: z.int(),
})
export type Attempt = z.infer<typeof Attempt>

/** A user the provider has identified, who still has to enter our second factor. */
const Waiting = z.object({ clientId: z.int(), subject: z.string(), userId: z.int(), until: z.int() })
export type Waiting = z.infer<typeof Waiting>

/**
 * Both are stored in an encrypted browser cookie, so that a flood of unfinished sign-ins uses no server
 * storage and a callback is useless in another browser.
 */
export function sealAttempt(secrets: Secrets, attempt: Attempt): string {
  return secrets.seal(JSON.stringify(attempt), 'sso attempt')
}

/** Null when the cookie is not ours or has expired. */
export function openAttempt(secrets: Secrets, cookie: string | undefined, nowMs: number): Attempt | null {
  return open(secrets, cookie, 'sso attempt', Attempt, nowMs)
}

export function sealWaiting(secrets: Secrets, waiting: Waiting): string {
  return secrets.seal(JSON.stringify(waiting), 'sso waiting')
}

export function openWaiting(secrets: Secrets, cookie: string | undefined, nowMs: number): Waiting | null {
  return open(secrets, cookie, 'sso waiting', Waiting, nowMs)
}

function open<T extends { until: number }>(
  secrets: Secrets,
  cookie: string | undefined,
  purpose: string,
  schema: z.ZodType<T>,
  nowMs: number,
): T | null {
  const text = cookie ? secrets.tryOpen(cookie, purpose) : null
  if (text === null) return null
  const parsed = schema.parse(JSON.parse(text))
  return parsed.until > nowMs ? parsed : null
}

/** Whether a text is a path of our console; anything else would allow open redirects. */
export function isConsolePath(text: string): boolean {
  return (
    text.length <= redirectLengthMax &&
    /^\/(?![/\\])[\x21-\x7e]*$/.test(text) &&
    !/^\/login([/?]|$)/.test(text)
  )
}
