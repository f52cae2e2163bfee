import type { FastifyRequest } from 'fastify'
import type { Credentials } from './implement.ts'

export const sessionCookie = 'leitstand_session'
/** Marks a browser that has signed in before; grants no access. */
export const deviceCookie = 'leitstand_device'
const deviceToken = /^[\w-]{43}$/

/**
 * The cookie's name as sent to browsers. Behind TLS the name prefix binds it to this host: another host of
 * the same domain can neither read nor set it.
 */
export function cookieName(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name
}

/**
 * The session token of a request. The bearer token takes precedence over the cookie: an impersonating tab
 * must not fall back to the user's own session.
 */
export function credentialsOf(request: FastifyRequest): Credentials {
  const bearer = /^Bearer ([\w-]{20,200})$/i.exec(request.headers.authorization ?? '')?.[1]
  const cookieToken = request.cookies[cookieName(sessionCookie, request.server.guard.secure)] || null
  if (bearer) return { token: bearer, via: 'bearer', cookieToken }
  return { token: cookieToken, via: cookieToken ? 'cookie' : 'none', cookieToken }
}

/**
 * Whether a request comes from one of our own pages, or from no page at all. Browsers also send cookies with
 * requests from pages on sibling hosts; programs that send a token of their own need no such proof.
 */
export function isOwnPage(request: FastifyRequest): boolean {
  const { origin, host } = request.headers
  if (origin === undefined) return true
  const from = URL.parse(origin)?.host
  // Only a proxy on the same machine is trusted to report the host name of the request.
  return from !== undefined && (from === host || from === request.host)
}

/** The token of a browser that has signed in before; null if the request comes from another site's page. */
export function deviceTokenOf(request: FastifyRequest): string | null {
  const shown = request.cookies[cookieName(deviceCookie, request.server.guard.secure)]
  return shown !== undefined && deviceToken.test(shown) && isOwnPage(request) ? shown : null
}
