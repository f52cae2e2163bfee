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
  /** The session token of the request and where it stood. */
  credentials: Credentials
  /** what a browser shows that somebody has signed in with before */
  deviceToken: string | null
  /** Counts a call by its address. @throws AppError TOO_MANY_REQUESTS */
  countGuess(): Promise<void>
  /** Adds a cookie to the reply; an empty value removes it. */
  setCookie(name: string, value: string, options?: { expires?: Date }): void
}

export interface Credentials {
  token: string | null
  via: 'bearer' | 'cookie' | 'none'
  /** the token of the cookie, also when a bearer token goes before it */
  cookieToken: string | null
}

/** Every handler starts here: `os.virtualdevice.list.handler(({ input, context }) => …)`. */
export const os = implement(contract).$context<RequestContext>()
