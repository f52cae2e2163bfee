import * as z from 'zod'
import type { Secrets } from '../../platform/secrets.ts'

/** How long somebody may take at the provider, and for the second factor afterwards. */
export const attemptLastsMs = 10 * 60_000
/** Both fit into one cookie of 4 kB. */
export const redirectLengthMax = 1500
export const attemptCookie = 'leitstand_sso'
export const waitingCookie = 'leitstand_sso_factor'

/** A sign-in that is under way: what its answer is checked against. */
const Attempt = z.object({
  clientId: z.int(),
  version: z.int(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** where the console is that it was begun in, and where the answer has to come in */
  origin: z.string(),
  redirectUri: z.string(),
  /** path of the console to go to */
  redirect: z.string(),
  until: z.int(),
})
export type Attempt = z.infer<typeof Attempt>

/** Somebody the provider has vouched for and who still has to show the own second factor. */
const Waiting = z.object({ clientId: z.int(), subject: z.string(), userId: z.int(), until: z.int() })
export type Waiting = z.infer<typeof Waiting>

/**
 * Both wait in a cookie of the browser, encrypted, so that a flood of sign-ins that nobody ends costs nothing here and
 * an answer is worth nothing in another browser.
 */
export function sealAttempt(secrets: Secrets, attempt: Attempt): string {
  return secrets.seal(JSON.stringify(attempt), 'sso attempt')
}

/** Null when the cookie is not ours, or its time is over. */
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

/** Whether a text is a path of our own console; anything else could lead people elsewhere. */
export function isConsolePath(text: string): boolean {
  return (
    text.length <= redirectLengthMax &&
    /^\/(?![/\\])[\x21-\x7e]*$/.test(text) &&
    !/^\/login([/?]|$)/.test(text)
  )
}
