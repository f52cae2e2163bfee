import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { cookieName, sessionCookie } from '../../platform/http/credentials.ts'
import { domainOfHost, provenDomainsOf } from '../accounts/index.ts'
import { recordActivity } from '../activity/index.ts'
import type { PeopleFeature } from '../people/index.ts'
import { callbackUrl, loginUrl, originOf, ssoPath } from './addresses.ts'
import {
  type Attempt,
  attemptCookie,
  attemptLastsMs,
  isConsolePath,
  openAttempt,
  sealAttempt,
  sealWaiting,
  waitingCookie,
} from './attempt.ts'
import type { SsoClients } from './clients.ts'
import type { Outcome, SsoLogin } from './login.ts'
import { authorizationUrl, identify, prefixOf, reasonOf, SsoFailure } from './provider.ts'
import { type ClientRow, clientByKey, kindByKey, takeAnswer } from './store.ts'

interface Parts {
  clients: SsoClients
  login: SsoLogin
  failures: PeopleFeature['failures']
}

type ByKey = FastifyRequest<{ Params: { key: string } }>

/**
 * The two routes the browser visits: to the provider, and back. Both always redirect, even on errors, because
 * they are opened by people, not programs.
 */
export function mountSso(ctx: Context, parts: Parts): void {
  const { clients } = parts
  const { http, config } = ctx
  const countCalls = http.createRateLimit({ max: config.signInsPerMinute, timeWindow: 60_000 })
  const bounded = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('cache-control', 'no-store')
    const count = await countCalls(request)
    if (count.isAllowed || !count.isExceeded) return
    reply.header('retry-after', count.ttlInSeconds)
    throw new AppError('TOO_MANY_REQUESTS', { retryAfterSeconds: count.ttlInSeconds })
  }
  http.get(`${ssoPath}/:key/start`, async (request: ByKey, reply) => {
    await bounded(request, reply)
    return reply.redirect(await start(ctx, clients, request, reply))
  })
  http.get(`${ssoPath}/:key/callback`, async (request: ByKey, reply) => {
    await bounded(request, reply)
    return reply.redirect(await comeBack(ctx, parts, request, reply))
  })
}

/** @returns the redirect target: the provider, or the login page with an error */
async function start(
  ctx: Context,
  clients: SsoClients,
  request: ByKey,
  reply: FastifyReply,
): Promise<string> {
  const { config, db, clock, secrets, log } = ctx
  const { key } = request.params
  const query = queryOf(request)
  const redirect = query.get('redirect') || '/home'
  const client = await clientByKey(db, key)
  if (!client) return loginUrl(config.publicUrl, { error: await notFoundCode(ctx, key) })
  const origin = await originFor(ctx, client, request.hostname)
  if (!isConsolePath(redirect)) return loginUrl(origin, { error: 'INVALID_REDIRECT_URL' })
  // The cookie must be set on the host of the callback. `moved` avoids a redirect loop behind a proxy that
  // hides it.
  if (new URL(origin).hostname !== request.hostname && !query.has('moved'))
    return `${origin}${ssoPath}/${key}/start?${new URLSearchParams({ redirect, moved: '1' })}`
  const attempt: Attempt = {
    clientId: client.id,
    version: client.version,
    origin,
    redirect,
    state: randomState(),
    nonce: randomNonce(),
    verifier: randomPKCECodeVerifier(),
    redirectUri: callbackUrl(origin, key),
    until: clock.now().getTime() + attemptLastsMs,
  }
  try {
    const target = await authorizationUrl(await clients.configured(client), client, attempt)
    reply.setCookie(attemptCookie, sealAttempt(secrets, attempt), {
      ...attemptSettings(config),
      maxAge: attemptLastsMs / 1000,
    })
    return target.href
  } catch (cause) {
    log.warn({ ssoClient: client.id, reason: reasonOf(cause) }, 'a provider of sign-ins cannot be asked')
    return loginUrl(origin, { error: `${prefixOf(client)}_AUTH_CODE_NOT_RETRIEVABLE`, redirect })
  }
}

/** @returns the redirect target: the console, or the login page for the second factor or with an error */
async function comeBack(
  ctx: Context,
  { clients, login, failures }: Parts,
  request: ByKey,
  reply: FastifyReply,
): Promise<string> {
  const { config, db, clock, secrets } = ctx
  const query = queryOf(request)
  const attempt = openAttempt(secrets, request.cookies[attemptCookie], clock.now().getTime())
  reply.clearCookie(attemptCookie, attemptSettings(config))
  const client = await clientByKey(db, request.params.key)
  const isOurs =
    attempt !== null &&
    client?.id === attempt.clientId &&
    client.version === attempt.version &&
    query.get('state') === attempt.state &&
    (await takeAnswer(db, hashOf(attempt.state), new Date(attempt.until)))
  if (!isOurs) return loginUrl(attempt?.origin ?? config.publicUrl, { error: 'SSO_ATTEMPT_ENDED' })
  const { origin, redirect } = attempt
  const userAgent = String(request.headers['user-agent'] ?? '').slice(0, 300)
  try {
    const { subject, claims } = await identify(await clients.configured(client), client, attempt, query)
    const outcome = await login.finish(client, subject, claims, { ip: request.ip, userAgent })
    return goOn(ctx, outcome, attempt, reply)
  } catch (error) {
    if (!(error instanceof SsoFailure)) throw error
    const { title: name, accountId } = client
    failures.note({ name, ip: request.ip, reason: 'sso', code: error.code, accountId })
    await noteRefusal(ctx, client, error, request.ip)
    return loginUrl(origin, { error: error.code, redirect })
  }
}

function goOn(
  { config, clock, secrets }: Context,
  outcome: Outcome,
  { origin, redirect }: Attempt,
  reply: FastifyReply,
): string {
  const secure = isSecure(config)
  const settings = { path: '/', httpOnly: true, sameSite: 'strict', secure } as const
  if (outcome.kind === 'code') {
    const until = clock.now().getTime() + attemptLastsMs
    const waiting = sealWaiting(secrets, { ...outcome.waiting, until })
    reply.setCookie(cookieName(waitingCookie, secure), waiting, {
      ...settings,
      maxAge: attemptLastsMs / 1000,
    })
    return loginUrl(origin, { step: 'code', redirect })
  }
  const { token, expiresAt } = outcome.session
  reply.setCookie(cookieName(sessionCookie, secure), token, { ...settings, expires: expiresAt })
  return `${origin}/#${redirect}`
}

/** Logs why a sign-in failed, for the administrators of the account; the user only gets the error code. */
async function noteRefusal(
  { db }: Context,
  client: ClientRow,
  failure: SsoFailure,
  ip: string,
): Promise<void> {
  const { id, title, accountId } = client
  const about = { subject: 'SsoClient', objectId: id, objectTitle: title, accountId }
  const changes = { code: failure.code, reason: failure.message }
  await recordActivity(
    db,
    { userId: null, name: '', ip },
    { action: 'refuse', ...about, changes, isChange: false },
  )
}

/** The requested domain if the account has proven it, otherwise the public address. */
async function originFor({ config, db }: Context, client: ClientRow, hostname: string): Promise<string> {
  const domain = domainOfHost(config.publicUrl, hostname)
  if (domain === null) return config.publicUrl
  const isOwn = (await provenDomainsOf(db, client.accountId)).includes(domain)
  return isOwn ? originOf(config.publicUrl, domain) : config.publicUrl
}

async function notFoundCode({ db }: Context, key: string): Promise<string> {
  return (await kindByKey(db, key)) === 'oauth2' ? 'OAUTH2_CLIENT_NOT_FOUND' : 'OIDC_CLIENT_NOT_FOUND'
}

/** Lax, because the callback is a navigation from a foreign page and needs this cookie. */
function attemptSettings(config: Context['config']) {
  return { path: ssoPath, httpOnly: true, sameSite: 'lax', secure: isSecure(config) } as const
}

function isSecure({ publicUrl }: Context['config']): boolean {
  return publicUrl.startsWith('https:')
}

function queryOf(request: FastifyRequest): URLSearchParams {
  return new URLSearchParams(request.url.split('?')[1] ?? '')
}

function hashOf(state: string): Buffer {
  return createHash('sha256').update(state).digest()
}
