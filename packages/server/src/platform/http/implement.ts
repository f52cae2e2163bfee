import { contract } from '@leitstand/contract'
import { implement } from '@orpc/server'
import type { Caller } from './caller.ts'

/** What a handler knows about its request. */
export interface RequestContext {
  caller: Caller
  requestId: string
  ip: string
  userAgent: string
  headers: Record<string, string | string[] | undefined>
  /** The session token of the request and where it was sent. */
  credentials: Credentials
  /** token of a browser that has signed in before */
  deviceToken: string | null
  /** Counts a call against its address. @throws AppError TOO_MANY_REQUESTS */
  countGuess(): Promise<void>
  /** Keeps the error behind a reply that tells nothing of it, for the log. */
  noteFailure(error: unknown): void
  /** Adds a cookie to the reply; an empty value removes it. */
  setCookie(name: string, value: string, options?: { expires?: Date }): void
}

export interface Credentials {
  token: string | null
  via: 'bearer' | 'cookie' | 'none'
  /** the token of the cookie, even when a bearer token takes precedence */
  cookieToken: string | null
}

/** Every handler starts with this: `os.virtualdevice.list.handler(({ input, context }) => …)`. */
export const os = implement(contract).$context<RequestContext>()
