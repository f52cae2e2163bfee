import type { FastifyRequest } from 'fastify'
import type { Credentials } from './implement.ts'

export const sessionCookie = 'leitstand_session'
/** Says that somebody has signed in with this browser before; it lets nobody in. */
export const deviceCookie = 'leitstand_device'
const deviceToken = /^[\w-]{43}$/

/**
 * A cookie as browsers know it. Behind TLS its name binds it to this very host: a neighbour below the same domain can
 * neither read nor plant it.
 */
export function cookieName(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name
}

/**
 * The session token of a request. The bearer token goes before the cookie: a tab that impersonates must not fall back
 * to the own session.
 */
export function credentialsOf(request: FastifyRequest): Credentials {
  const bearer = /^Bearer ([\w-]{20,200})$/i.exec(request.headers.authorization ?? '')?.[1]
  const cookieToken = request.cookies[cookieName(sessionCookie, request.server.guard.secure)] || null
  if (bearer) return { token: bearer, via: 'bearer', cookieToken }
  return { token: cookieToken, via: cookieToken ? 'cookie' : 'none', cookieToken }
}

/**
 * Whether a request comes from a page of ours, or from no page at all. Browsers send cookies along with what pages of
 * neighbouring hosts ask for, too; programs that bring a token of their own need no such proof.
 */
export function isOwnPage(request: FastifyRequest): boolean {
  const { origin, host } = request.headers
  if (origin === undefined) return true
  const from = URL.parse(origin)?.host
  // A proxy on the same machine may say by which name it was asked; nobody else is believed.
  return from !== undefined && (from === host || from === request.host)
}

/** What a browser shows that somebody has signed in with before; null where a page of somebody else sends it along. */
export function deviceTokenOf(request: FastifyRequest): string | null {
  const shown = request.cookies[cookieName(deviceCookie, request.server.guard.secure)]
  return shown !== undefined && deviceToken.test(shown) && isOwnPage(request) ? shown : null
}
