import { randomUUID } from 'node:crypto'
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
import { Refusals } from './refusals.ts'

/** How long a client may take to send a request, so that a stuck one does not hold a connection for ever. */
const requestTimeoutMs = 120_000
/** Replies below this size are not worth compressing. */
const compressFromBytes = 1024
/** What a client may send: hello, subscriptions, pings. */
const liveMessageBytesMax = 4096
/** A year: browsers come by TLS alone for so long. */
const hstsSeconds = 31_536_000
/** API keys nobody has that may come from one address in a minute. */
const wrongKeysPerMinute = 300

/** What every route knows of how people reach us, and of who tries what. */
interface Guard {
  /** by TLS, so that cookies are for this host alone */
  secure: boolean
  refusals: Refusals
  wrongKeys: WrongGuesses
}

declare module 'fastify' {
  interface FastifyInstance {
    guard: Guard
  }
}

/**
 * The HTTP server without any route: request ids, limits, security headers, compression, logging, and one shape for
 * every error. Broken JSON, too large bodies and unknown paths get a code of the catalogue here.
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
    // A reverse proxy on the same machine, or one the operator names, is believed about the caller's address, nobody else.
    trustProxy: [...config.trustedProxies],
    genReqId: (request) => givenRequestId(request.headers['x-request-id']) ?? randomUUID(),
    logger: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 500 },
    // Requests that never reach a route, such as a path that cannot be decoded.
    frameworkErrors: (error, request, reply) => {
      reply.headers(headersOf(protection))
      sendError(error, request, reply, log, refusals)
    },
  })
  http.decorate('guard', { secure, refusals, wrongKeys: new WrongGuesses(wrongKeysPerMinute) })
  await http.register(helmet, protection)
  await http.register(compress, { threshold: compressFromBytes, globalDecompression: false })
  await http.register(cookie)
  await http.register(rateLimit, { global: false })
  // Not compressed: the messages are small, and each reader would cost memory and time of its own.
  await http.register(websocket, { options: { maxPayload: liveMessageBytesMax, perMessageDeflate: false } })
  acceptEmptyJson(http)

  http.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    loopDelay?.note(() => `${request.method} ${loggedPath(request)}`)
    done()
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
    if (failed) log.error(entry, 'request failed')
    else log.debug(entry, 'request')
  })
  http.setErrorHandler((error: FastifyError, request, reply) =>
    sendError(error, request, reply, log, refusals),
  )
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

/** Who is asked to come back is counted, not logged: a flood of requests must not become a flood of logs. */
function isFailure(status: number): boolean {
  return status >= 500 && status !== errorCatalogue.OVERLOADED[0]
}

function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Logger,
  refusals: Refusals,
): void {
  const known = toAppError(error)
  if (isFailure(known.status)) log.error({ err: error, requestId: request.id }, 'request failed')
  const about = { requestId: request.id, status: known.status, code: known.code, ip: request.ip }
  refusals.note({ ...about, method: request.method, path: loggedPath(request) }, Date.now())
  void reply.status(known.status).header('x-request-id', request.id).send(known.toReply(request.id))
}

/** An error of Fastify or of a handler → one of the catalogue. Unknown ones say nothing about themselves. */
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

/** JSON is the only body the API takes. Many clients say `application/json` on a DELETE without a body; that is no mistake. */
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

/** The path of a request; where a parameter stands in it the pattern instead: keys of hooks do not belong into a log. */
function loggedPath(request: FastifyRequest): string {
  const pattern = request.routeOptions.url
  return pattern?.includes(':') ? pattern : (request.url.split('?')[0] ?? '')
}

function givenRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[\w.-]{8,64}$/.test(header) ? header : undefined
}

/** @param maps origins of the map styles of the installation: the console asks them for styles, tiles and pictures */
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
        workerSrc: ["'self'", 'blob:'],
        objectSrc: ["'none'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'self'"],
      },
    },
    // Only behind TLS: on plain http it would lock people out.
    strictTransportSecurity: secure ? { maxAge: hstsSeconds } : false,
    originAgentCluster: secure,
    crossOriginOpenerPolicy: secure,
  }
}

/** The same headers, for answers that no plugin sees. */
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
