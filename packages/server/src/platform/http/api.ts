import type { Contract } from '@leitstand/contract'
import { limits, type OperationMeta } from '@leitstand/contract/common'
import { type ErrorCode, errorCatalogue } from '@leitstand/contract/errors'
import { isAllowed } from '@leitstand/contract/permissions'
import { serverTimeoutOf } from '@leitstand/contract/timeouts'
import { illFormed } from '@leitstand/contract/wellFormed'
import { ORPCError } from '@orpc/client'
import { type AnyContractProcedure, ValidationError } from '@orpc/contract'
import { OpenAPIHandler } from '@orpc/openapi/fastify'
import type { AnyProcedure, Router } from '@orpc/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isOutOfRange, isStatementTimeout } from '../db/index.ts'
import type { Reads } from '../db/replica.ts'
import { AppError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { currentTimeLimit, TimeLimit, withTimeLimit } from '../timeLimit.ts'
import { anonymous, type Caller, callerKey } from './caller.ts'
import { coerceInput } from './coerce.ts'
import { cookieName, credentialsOf, deviceTokenOf, isOwnPage } from './credentials.ts'
import { exceeds, inputDepthMax } from './depth.ts'
import type { Credentials, RequestContext } from './implement.ts'
import { describeApi } from './openapi.ts'
import { withoutKeys } from './refusals.ts'
import { mountUploads } from './uploads.ts'
import { illFormedPath } from './wellFormed.ts'

/**
 * Token → caller; null when the token is unknown or has expired. Provided by the access feature.
 * @param ip address of the caller, for the activity log
 */
export type Authenticate = (token: string, ip: string) => Promise<Caller | null>

/** The remaining requests of an API key in the current minute. */
export interface KeyAllowance {
  limit: number
  remaining: number
  resetSeconds: number
  isExceeded: boolean
}

/** API key → caller; null when the key is unknown or not valid now. Counts the call. */
export type AuthenticateKey = (
  key: string,
  ip: string,
) => Promise<{ caller: Caller; allowance: KeyAllowance } | null>

interface ApiOptions {
  router: Router<Contract, RequestContext>
  authenticate: Authenticate
  authenticateKey: AuthenticateKey
  /** Called after every operation that states `changes: 'rights'`, before its reply is sent. */
  onRightsChanged: () => Promise<void>
  /** where operations with `reads: 'replica'` read */
  reads: Reads
  log: Logger
  /**
   * sign-in attempts per minute and address; locking a user does not stop an attacker who tries many users
   */
  signInsPerMinute: number
}

/**
 * Serves every operation of the contract below `/api`, and its description at `/api/openapi.json`. Steps for
 * each request: authenticate, find the operation, authorise, validate the input, handle, validate the output.
 */
export function mountApi(http: FastifyInstance, options: ApiOptions): void {
  const { log } = options
  const handler = new OpenAPIHandler<RequestContext>(options.router, {
    interceptors: [
      async ({ next, context }) => {
        try {
          return await next()
        } catch (error) {
          throw toOrpcError(error, context, log)
        }
      },
    ],
    clientInterceptors: [
      async ({ next, ...call }) => {
        authorise(call.procedure, call.context)
        const meta = call.procedure['~orpc'].meta as OperationMeta
        currentTimeLimit()?.set(serverTimeoutOf(meta))
        if (meta.guessed) await call.context.countGuess()
        requireSmall(call.input)
        requireWellFormed(call.input)
        const input = coerceInput(call.procedure, call.input)
        const work = () => next({ ...call, input })
        const key = callerKey(call.context.caller)
        if (meta.reads === 'replica') return options.reads.run(key, async () => work())
        try {
          return await work()
        } finally {
          // Also after an error: changes made before it may be stored.
          if (meta.changes === 'rights') await options.onRightsChanged()
          if (meta.reads === 'noted' || call.procedure['~orpc'].route.method !== 'GET')
            await options.reads.noteWrite(key)
        }
      },
    ],
    rootInterceptors: [
      async ({ next, ...call }) => {
        const { context, request } = call
        const result = await next({ ...call, request: withOptions(request) })
        if (!result.matched || result.response.status < 400) return result
        const body = { ...(result.response.body as { code: string }), requestId: context.requestId }
        noteRefusal(http, request, context, { status: result.response.status, code: body.code })
        return { ...result, response: { ...result.response, body } }
      },
    ],
    customErrorResponseBodyEncoder: ({ code, message, data }) => ({
      code: code in errorCatalogue ? code : 'PARAMETER_VALIDATION_ERROR',
      message,
      ...(data === undefined ? {} : { data }),
    }),
  })

  let description: Promise<object> | undefined
  http.get('/api/openapi.json', async (_request, reply) => {
    description ??= describeApi()
    return reply.header('cache-control', 'no-cache').send(await description)
  })
  const countSignIn = http.createRateLimit({ max: options.signInsPerMinute, timeWindow: 60_000 })
  const serve = async (request: FastifyRequest, reply: FastifyReply, read?: () => Promise<FormData>) => {
    const countGuess = async () => {
      const count = await countSignIn(request)
      if (count.isAllowed || !count.isExceeded) return
      reply.header('retry-after', count.ttlInSeconds)
      throw new AppError('TOO_MANY_REQUESTS', { retryAfterSeconds: count.ttlInSeconds })
    }
    const context = { ...(await contextOf(request, reply, options)), countGuess }
    reply.header('cache-control', 'no-store')
    // When opened as a page, the response is downloaded, never shown or run. Programs do not get the header,
    // as they would treat the response as a file.
    const target = request.headers['sec-fetch-dest']
    if (target !== undefined && target !== 'empty')
      reply.header('content-disposition', 'attachment; filename="api.json"')
    // Fastify has already read the body within its limits; without a body the handler must not read the
    // socket again.
    request.body ??= null
    if (read && context.caller.kind !== 'anonymous') request.body = await read()
    const { matched } = await handler.handle(request, reply, { prefix: '/api', context })
    if (!matched) reply.callNotFound()
    return reply
  }
  const serveInTime: typeof serve = (request, reply, read) =>
    withTimeLimit(new TimeLimit(serverTimeoutOf({})), () => serve(request, reply, read))
  http.all('/api/*', (request, reply) => serveInTime(request, reply))
  mountUploads(http, serveInTime)
}

/** The options of a DELETE may also be in its query, because many clients send no body with it. */
function withOptions<T extends { method: string; url: URL; body: () => Promise<unknown> }>(request: T): T {
  const { searchParams } = request.url
  if (request.method !== 'DELETE' || searchParams.size === 0) return request
  const options = Object.fromEntries(searchParams)
  return { ...request, body: async () => ({ ...options, ...((await request.body()) as object | undefined) }) }
}

async function contextOf(
  request: FastifyRequest,
  reply: FastifyReply,
  options: ApiOptions,
): Promise<Omit<RequestContext, 'countGuess'>> {
  const { secure } = request.server.guard
  const { caller, credentials } = await identify(request, reply, options)
  return {
    caller: withLanguage(caller, request.headers['accept-language']),
    requestId: request.id,
    ip: request.ip,
    userAgent: String(request.headers['user-agent'] ?? '').slice(0, 300),
    headers: request.headers,
    credentials,
    deviceToken: deviceTokenOf(request),
    noteFailure: (error) => {
      request.failure = error
    },
    setCookie: (name, value, { expires } = {}) => {
      const settings = { path: '/', httpOnly: true, sameSite: 'strict', secure } as const
      const known = cookieName(name, secure)
      if (value === '') reply.clearCookie(known, settings)
      else reply.setCookie(known, value, { ...settings, ...(expires ? { expires } : {}) })
    },
  }
}

/** A user of the console with its language. Keys and applications keep their caller, by which their rights are found. */
function withLanguage(caller: Caller, header: string | undefined): Caller {
  const language = header === 'de' || header === 'en' ? header : undefined
  const isConsole = caller.kind === 'user' && caller.application === undefined
  return language === undefined || !isConsole ? caller : { ...caller, language }
}

/**
 * Authenticates a request, also outside of the contract. A cookie only counts if one of our own pages sends
 * it.
 * @param shownKey the API key when it is not in `x-api-key`
 * @throws AppError API_LIMIT_REACHED; every reply to a key contains the remaining calls. TOO_MANY_REQUESTS
 * after many wrong keys
 */
export async function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  { authenticate, authenticateKey }: Pick<ApiOptions, 'authenticate' | 'authenticateKey'>,
  shownKey?: string,
): Promise<{ caller: Caller; credentials: Credentials }> {
  const shown = credentialsOf(request)
  const isForeign = shown.via === 'cookie' && request.method !== 'GET' && !isOwnPage(request)
  const given: Credentials = isForeign ? { token: null, via: 'none', cookieToken: null } : shown
  const key = given.via === 'bearer' ? undefined : (shownKey ?? request.headers['x-api-key'])
  // A request with a key is authenticated by that key only: a cookie sent with it must not replace an expired
  // key.
  const credentials: Credentials = key === undefined ? given : { ...given, token: null, via: 'none' }
  let known: Caller | null = null
  if (key !== undefined) known = await callerOfKey(String(key), request, reply, authenticateKey)
  else if (credentials.token !== null) known = await authenticate(credentials.token, request.ip)
  return { caller: known ?? anonymous(request.ip), credentials }
}

/** @throws AppError API_LIMIT_REACHED */
async function callerOfKey(
  key: string,
  request: FastifyRequest,
  reply: FastifyReply,
  authenticateKey: AuthenticateKey,
): Promise<Caller | null> {
  const { wrongKeys } = request.server.guard
  const retryAfterSeconds = wrongKeys.waitSeconds(request.ip, Date.now())
  if (retryAfterSeconds > 0) {
    reply.header('retry-after', retryAfterSeconds)
    throw new AppError('TOO_MANY_REQUESTS', { retryAfterSeconds })
  }
  const known = await authenticateKey(key, request.ip)
  if (!known) {
    wrongKeys.note(request.ip, Date.now())
    return null
  }
  const { limit, remaining, resetSeconds, isExceeded } = known.allowance
  reply.header('x-ratelimit-limit', limit)
  reply.header('x-ratelimit-remaining', remaining)
  reply.header('x-ratelimit-reset', resetSeconds)
  if (isExceeded) {
    reply.header('retry-after', resetSeconds)
    throw new AppError('API_LIMIT_REACHED', { limit, retryAfterSeconds: resetSeconds })
  }
  return known.caller
}

function noteRefusal(
  http: FastifyInstance,
  request: { method: string; url: URL },
  { requestId, ip, caller }: RequestContext,
  { status, code }: { status: number; code: string },
): void {
  const about = {
    requestId,
    status,
    code,
    method: request.method,
    path: withoutKeys(request.url.pathname),
    ip,
  }
  http.guard.refusals.note({ ...about, caller: caller.name, userId: caller.userId }, Date.now())
}

/**
 * @throws AppError when the operation's rule is not met; an operation without a rule is closed to everyone
 */
function authorise(procedure: AnyProcedure, { caller }: RequestContext): void {
  const { rule, beforeTwoFactor } = procedure['~orpc'].meta as OperationMeta
  if (rule === undefined)
    throw new AppError('NO_PERMISSION', undefined, 'This operation states no permission rule')
  const signedIn = caller.kind !== 'anonymous'
  if (caller.looking && !isOpenToLook(procedure)) throw new AppError('AUTH_LOOKING')
  if (caller.needsTwoFactor && rule !== 'public' && !beforeTwoFactor) throw new AppError('2FA_SETUP_REQUIRED')
  if (isAllowed(rule, signedIn, caller.can)) return
  if (!signedIn) throw new AppError('AUTH_TOKEN_NOT_FOUND')
  throw new AppError('NO_PERMISSION', { needed: rule })
}

/** Whether callers who may change nothing may call it; closed unless it is known to read. */
export function isOpenToLook(procedure: AnyProcedure | AnyContractProcedure): boolean {
  const { look } = procedure['~orpc'].meta as OperationMeta
  if (look !== undefined) return look !== 'closed'
  return procedure['~orpc'].route.method === 'GET'
}

/** @throws AppError BODY_TOO_LARGE, or PARAMETER_VALIDATION_ERROR for too deep nesting */
function requireSmall(input: unknown): void {
  const { bodyValuesMax } = limits
  switch (exceeds(input, { valuesMax: bodyValuesMax, depthMax: inputDepthMax })) {
    case 'valuesMax':
      throw new AppError('BODY_TOO_LARGE', { bodyValuesMax }, `more than ${bodyValuesMax} values`)
    case 'depthMax':
      throw new AppError(
        'PARAMETER_VALIDATION_ERROR',
        { inputDepthMax },
        `nested deeper than ${inputDepthMax} levels`,
      )
  }
}

/** @throws AppError PARAMETER_VALIDATION_ERROR with the path of a text that cannot be stored */
function requireWellFormed(input: unknown): void {
  const place = illFormedPath(input)
  if (place === undefined) return
  const path = place.map(String)
  const where = path.length === 0 ? '' : `${path.join('.').toWellFormed().slice(0, 300)}: `
  throw new AppError(
    'PARAMETER_VALIDATION_ERROR',
    { issues: [{ path, message: illFormed }] },
    `${where}${illFormed}`,
  )
}

/** Any thrown value → an error with a code of the catalogue; 5xx expose no details. */
function toOrpcError(error: unknown, context: RequestContext, log: Logger): ORPCError<ErrorCode, unknown> {
  const known = toCatalogue(error)
  if (isOutOfRange(error))
    log.warn({ err: error, requestId: context.requestId }, 'a number or time out of range')
  if (known.status >= 500) context.noteFailure(error)
  return new ORPCError(known.code, {
    status: known.status,
    message: known.message,
    data: known.data,
    cause: error,
  })
}

/** What an issue says about the expected value; never the value itself. */
const issueFields = ['code', 'origin', 'minimum', 'maximum', 'inclusive', 'expected', 'format']

function expectation(issue: object): Record<string, unknown> {
  const entries = Object.entries(issue).filter(([name]) => issueFields.includes(name))
  return Object.fromEntries(
    entries.filter(([, value]) => typeof value !== 'object' && typeof value !== 'bigint'),
  )
}

function toCatalogue(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (isStatementTimeout(error)) return new AppError('REQUEST_TIMEOUT')
  if (error instanceof URIError) return new AppError('PARAMETER_VALIDATION_ERROR')
  if (isOutOfRange(error))
    return new AppError('PARAMETER_VALIDATION_ERROR', undefined, 'a number or a time is out of range')
  if (!(error instanceof ORPCError)) return new AppError('INTERNAL_ERROR')
  if (error.cause instanceof ValidationError && error.status === 400) {
    const issues = error.cause.issues.map(({ message, path = [], ...issue }) => ({
      path: path.map((part) => (typeof part === 'object' ? part.key : part)).map(String),
      message,
      ...expectation(issue),
    }))
    const first = issues[0]
    const where = first && first.path.length > 0 ? `${first.path.join('.')}: ` : ''
    return new AppError('PARAMETER_VALIDATION_ERROR', { issues }, `${where}${first?.message ?? 'invalid'}`)
  }
  if (error.status < 500) return new AppError('PARAMETER_VALIDATION_ERROR', undefined, error.message)
  return new AppError('INTERNAL_ERROR')
}
