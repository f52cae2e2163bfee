import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import websocket from '@fastify/websocket'
import { limits } from '@leitstand/contract/common'
import { errorCatalogue } from '@leitstand/contract/errors'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { Config } from '../../config.ts'
import { originsOf } from '../../mapStyles.ts'
import { isStatementTimeout } from '../db/index.ts'
import { AppError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { LoopDelay } from '../loopDelay.ts'
import type { Metrics } from '../metrics.ts'
import { isTooRich } from './bodySize.ts'
import { WrongGuesses } from './guesses.ts'
import { Refusals, withoutKeys } from './refusals.ts'

/** How long a client may take to send a request, so that a stalled one does not hold a connection forever. */
const requestTimeoutMs = 120_000
/** Replies below this size are not worth compressing. */
const compressFromBytes = 1024
/** Enough for what clients send: hello, subscriptions, pings. */
const liveMessageBytesMax = 4096
/** One year: how long browsers use TLS only. */
const hstsSeconds = 31_536_000
/** Unknown API keys that one address may send per minute. */
const wrongKeysPerMinute = 300
/** Of a body that is not needed: up to this many bytes, reading it costs less than a new connection. */
const unwantedBytesMax = 10_000
/**
 * Of a body that is too large: up to this many bytes are read and dropped before the answer. Most clients send to the
 * end before they read, and a connection closed meanwhile is all they would see, without the reason.
 */
const droppedBytesMax = 8_000_000

/** What every route needs to know about the public address and about rate limits. */
interface Guard {
  /** served over TLS, so cookies are bound to this host */
  secure: boolean
  refusals: Refusals
  wrongKeys: WrongGuesses
}

declare module 'fastify' {
  interface FastifyInstance {
    guard: Guard
  }
  interface FastifyRequest {
    /** why it failed; logged with the end of the request, so that each has one entry */
    failure: unknown
  }
}

/**
 * The HTTP server without any route: request ids, limits, security headers, compression, logging, and one
 * format for all errors. Invalid JSON, bodies that are too large and unknown paths get a code of the
 * catalogue here.
 */
export async function createHttp(
  config: Config,
  log: Logger,
  metrics: Metrics,
  loopDelay?: LoopDelay,
): Promise<FastifyInstance> {
  const refusals = new Refusals(log)
  const secure = config.publicUrl.startsWith('https:')
  const protection = securityHeaders(secure, originsOf(config.mapStyles))
  const http = Fastify({
    bodyLimit: limits.bodyBytesMax,
    requestTimeout: requestTimeoutMs,
    // Only a reverse proxy on the same machine, or one the operator configured, is trusted to report the
    // caller's address.
    trustProxy: [...config.trustedProxies],
    genReqId: (request) => givenRequestId(request.headers['x-request-id']) ?? randomUUID(),
    logger: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 500 },
    // Requests that never reach a route, such as a path that cannot be decoded.
    frameworkErrors: (error, request, reply) => {
      reply.headers(headersOf(protection))
      sendError(error, request, reply, refusals)
    },
  })
  http.decorateRequest('failure', undefined)
  http.decorate('guard', { secure, refusals, wrongKeys: new WrongGuesses(wrongKeysPerMinute) })
  await http.register(helmet, protection)
  await http.register(compress, { threshold: compressFromBytes, globalDecompression: false })
  await http.register(cookie)
  await http.register(rateLimit, { global: false })
  // Not compressed: the messages are small, and compression would cost memory and CPU per reader.
  await http.register(websocket, { options: { maxPayload: liveMessageBytesMax, perMessageDeflate: false } })
  acceptEmptyJson(http)

  http.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    loopDelay?.note(() => `${request.method} ${loggedPath(request)}`)
    done()
  })
  http.addHook('onSend', (request, reply, _payload, done) => {
    if (isToWait(reply.statusCode) && isUnread(request.raw)) reply.header('connection', 'close')
    if (reply.statusCode === errorCatalogue.BODY_TOO_LARGE[0]) dropRest(request.raw, done)
    else done()
  })
  const duration = metrics.histogram('http_request_seconds', 'Duration of HTTP requests', [
    'method',
    'status',
  ])
  http.addHook('onResponse', (request, reply, done) => {
    done()
    duration.observe({ method: request.method, status: String(reply.statusCode) }, reply.elapsedTime / 1000)
    const failed = isFailure(reply.statusCode)
    if (!failed && !log.isLevelEnabled('debug')) return
    const entry = {
      requestId: request.id,
      method: request.method,
      path: loggedPath(request),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }
    const { failure } = request
    if (failed) log.error(failure === undefined ? entry : { ...entry, err: failure }, 'request failed')
    else log.debug(entry, 'request')
  })
  http.setErrorHandler((error: FastifyError, request, reply) => sendError(error, request, reply, refusals))
  http.setNotFoundHandler((request, reply) => {
    const error = new AppError(
      'NOT_FOUND',
      undefined,
      `There is nothing at ${request.method} ${request.url.split('?')[0]}`,
    )
    reply.status(error.status).send(error.toReply(request.id))
  })
  return http
}

/** Whether the caller is asked to send the request again later. */
function isToWait(status: number): boolean {
  return status === errorCatalogue.TOO_MANY_REQUESTS[0] || status === errorCatalogue.OVERLOADED[0]
}

/** Whether so much of the body is still to come that closing the connection costs less than reading the rest. */
function isUnread({ complete, headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  const isLong = length === undefined ? 'transfer-encoding' in headers : Number(length) > unwantedBytesMax
  return !complete && isLong
}

/** Reads what is still to come of a request, up to `droppedBytesMax`, then calls `done`. */
function dropRest(request: IncomingMessage, done: () => void): void {
  if (request.readableEnded || request.destroyed) {
    done()
    return
  }
  let bytes = 0
  const count = (chunk: Buffer): void => {
    bytes += chunk.length
    if (bytes > droppedBytesMax) end()
  }
  const end = (): void => {
    request.off('data', count).off('end', end).off('close', end).off('error', end)
    done()
  }
  request.on('data', count).once('end', end).once('close', end).once('error', end).resume()
}

/**
 * Requests to retry later are counted, not logged: a flood of requests must not become a flood of log lines.
 */
function isFailure(status: number): boolean {
  return status >= 500 && status !== errorCatalogue.OVERLOADED[0]
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, refusals: Refusals): void {
  const known = toAppError(error)
  if (isFailure(known.status)) request.failure = error
  const about = { requestId: request.id, status: known.status, code: known.code, ip: request.ip }
  refusals.note({ ...about, method: request.method, path: loggedPath(request) }, Date.now())
  void reply.status(known.status).header('x-request-id', request.id).send(known.toReply(request.id))
}

/** An error of Fastify or of a handler → one of the catalogue. Unknown errors expose no details. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (isStatementTimeout(error)) return new AppError('REQUEST_TIMEOUT')
  const { code, statusCode } = error as Partial<FastifyError>
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new AppError('BODY_TOO_LARGE', { bytesMax: limits.bodyBytesMax })
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('BODY_TYPE_UNSUPPORTED', undefined, 'The body must be application/json')
  }
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY' || (error instanceof SyntaxError && statusCode === 400)) {
    return new AppError('BODY_NOT_JSON')
  }
  if (code === 'FST_REQ_FILE_TOO_LARGE') return new AppError('BODY_TOO_LARGE')
  if (statusCode === 429) return new AppError('TOO_MANY_REQUESTS')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError('PARAMETER_VALIDATION_ERROR')
  }
  return new AppError('INTERNAL_ERROR')
}

/**
 * JSON is the only body the API accepts. Many clients send `application/json` on a DELETE without a body, so
 * that is accepted.
 */
function acceptEmptyJson(http: FastifyInstance): void {
  const parse = http.getDefaultJsonParser('error', 'error')
  http.removeAllContentTypeParsers()
  http.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined)
    else if (isTooRich(body.toString(), { valuesMax: limits.bodyValuesMax, keysMax: limits.bodyKeysMax })) {
      const { bodyValuesMax, bodyKeysMax } = limits
      done(new AppError('BODY_TOO_LARGE', { bodyValuesMax, bodyKeysMax }), undefined)
    } else parse(request, body.toString(), done)
  })
}

/**
 * The path of a request, with the route's pattern instead of parameter values: keys of hooks must not be
 * logged.
 */
function loggedPath(request: FastifyRequest): string {
  const pattern = request.routeOptions.url
  const path = pattern?.includes(':') ? pattern : (request.url.split('?')[0] ?? '')
  return withoutKeys(path)
}

function givenRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[\w.-]{8,64}$/.test(header) ? header : undefined
}

/** @param maps origins of the configured map styles: the console loads styles, tiles and images from them */
function securityHeaders(secure: boolean, maps: readonly string[]) {
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        // The map and the charts set style properties from code.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'blob:', ...maps],
        fontSrc: ["'self'", 'data:'],
        connectSrc: ["'self'", ...maps],
        // The sounds of warn monitors are played from memory, so that an alarm needs no network.
        mediaSrc: ["'self'", 'blob:'],
        workerSrc: ["'self'", 'blob:'],
        objectSrc: ["'none'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'self'"],
      },
    },
    // Only behind TLS: over plain http it would lock users out.
    strictTransportSecurity: secure ? { maxAge: hstsSeconds } : false,
    originAgentCluster: secure,
    crossOriginOpenerPolicy: secure,
  }
}

/** The same headers, for responses that bypass all plugins. */
function headersOf({
  contentSecurityPolicy: { directives },
  strictTransportSecurity,
}: ReturnType<typeof securityHeaders>): Record<string, string> {
  const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const policy = Object.entries(directives).map(([name, values]) => `${kebab(name)} ${values.join(' ')}`)
  return {
    'content-security-policy': policy.join(';'),
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    ...(strictTransportSecurity
      ? {
          'cross-origin-opener-policy': 'same-origin',
          'strict-transport-security': `max-age=${hstsSeconds}; includeSubDomains`,
        }
      : {}),
  }
}
