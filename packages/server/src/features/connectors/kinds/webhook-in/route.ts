import { limits } from '@leitstand/contract/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../../../platform/errors.ts'
import { toAppError } from '../../../../platform/http/server.ts'
import { foreignMessage } from '../../presets/index.ts'
import type { Report } from '../../receive.ts'
import type { KindTools } from '../types.ts'

/** Maximum rejections listed in a response; the rest are only in the connector's dead letters. */
const rejectionsShownMax = 100
const retryAfterSeconds = 1

/** A webhook connector, looked up by its key. */
type Hook = NonNullable<ReturnType<KindTools['findByKey']>>

/**
 * `POST /api/hooks/{key}`, and `POST /api/hooks` with the key in the `x-api-key` header. Accepts any content
 * type. Responds after the commit: 200 `{accepted, duplicates, rejected, event}`, 422 when no part of the
 * message was usable (it is stored anyway), 503 with Retry-After when the sender must retry, 429 with the
 * name of the limit that was reached.
 */
export function mountHooks(tools: KindTools): void {
  tools.ctx.http.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.decorateRequest<Hook | null>('hook', null)
    // Ignore Content-Type: devices often send a wrong one, and some send one that no parser would accept.
    scope.addHook('onRequest', (request, reply, done) => {
      delete request.headers['content-type']
      reply.header('x-content-type-options', 'nosniff').header('cache-control', 'no-store')
      done(refusal(tools, request))
    })
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.setErrorHandler(async (error, request, reply) => {
      const known = toAppError(error)
      if (known.code === 'BODY_TOO_LARGE') await noteTooLarge(tools, request)
      if (known.code === 'OVERLOADED') reply.header('retry-after', retryAfterSeconds)
      if (known.code === 'TOO_MANY_REQUESTS') reply.headers(limitHeaders(known, tools.ctx.clock.now()))
      if (known.status >= 500 && known.code !== 'OVERLOADED') {
        tools.ctx.log.error({ err: error, requestId: request.id }, 'a webhook failed')
      }
      return reply.status(known.status).send(known.toReply(request.id))
    })
    // These responses are a few bytes, sent thousands of times a second and never shown in a browser, so they
    // skip compression and the security headers.
    const options = { compress: false, helmet: false } as const
    scope.post('/api/hooks/:key', options, (request, reply) => handle(tools, request, reply))
    scope.post('/api/hooks', options, (request, reply) => handle(tools, request, reply))
  })
}

/** Refuses a request before its body is read, so that a flood of invalid requests stays cheap. */
function refusal({ findByKey, receiver }: KindTools, request: FastifyRequest): AppError | undefined {
  const hook = findByKey(keyOf(request))
  if (!hook) return new AppError('CONNECTOR_NOT_FOUND', undefined, 'No webhook has this key')
  if (!hook.enabled) return new AppError('CONNECTOR_DISABLED')
  if (!receiver.hasRoom(hook)) return new AppError('OVERLOADED')
  try {
    receiver.demandPass(hook)
    receiver.demandReadable(hook, Number(request.headers['content-length'] ?? limits.bodyBytesMax))
  } catch (error) {
    return toAppError(error)
  }
  request.setDecorator<Hook | null>('hook', hook)
  return undefined
}

/** Rate limit headers that well-behaved clients read. The reset time is in seconds since 1970. */
function limitHeaders({ data }: AppError, now: Date): Record<string, number> {
  const [value, wait] = [Number(data?.value), Number(data?.retryAfterSeconds)]
  return {
    'retry-after': wait,
    'x-ratelimit-limit': value,
    'x-ratelimit-remaining': 0,
    'x-ratelimit-reset': Math.ceil(now.getTime() / 1000) + wait,
  }
}

async function handle(tools: KindTools, request: FastifyRequest, reply: FastifyReply) {
  const hook = request.getDecorator<Hook | null>('hook')
  if (hook === null) throw new AppError('CONNECTOR_NOT_FOUND')
  // The queue may have filled up while the body was being read.
  if (!tools.receiver.hasRoom(hook)) throw new AppError('OVERLOADED')
  const text = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : ''
  const message = foreignMessage(text, { query: textsOf(request.query) })
  if (message.json === undefined && !message.isTooRich && hook.reading.preset !== 'template') {
    const code = 'BODY_NOT_JSON'
    const refused = { raw: text, identifier: null, code, message: 'The body is not JSON' } as const
    await tools.receiver.refuse(hook, refused, message)
    throw new AppError(code)
  }
  const report = await tools.receiver.receive(hook, message)
  const answer = answerOf(report)
  if (report.rejected.length > 0 && report.accepted + report.duplicates === 0) {
    const first = report.rejected[0]
    throw new AppError(first?.code ?? 'PACKET_INVALID', answer, first?.message)
  }
  return reply.send(answer)
}

function answerOf({ accepted, duplicates, rejected, event }: Report) {
  return {
    accepted,
    duplicates,
    rejected: rejected.slice(0, rejectionsShownMax),
    rejectedCount: rejected.length,
    ...(event === null ? {} : { event }),
  }
}

function keyOf(request: FastifyRequest): string {
  const { key } = request.params as { key?: string }
  return key ?? String(request.headers['x-api-key'] ?? '')
}

/** Query parameters; for repeated ones, the first value. */
function textsOf(query: unknown): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const [name, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
    texts[name] = String(Array.isArray(value) ? value[0] : value)
  }
  return texts
}

async function noteTooLarge({ findByKey, receiver }: KindTools, request: FastifyRequest): Promise<void> {
  const hook = findByKey(keyOf(request))
  const bytes = request.headers['content-length'] ?? 'more'
  const message = `A body of ${bytes} bytes was refused, allowed are ${limits.bodyBytesMax}`
  if (hook) await receiver.refuseUnread(hook, 'BODY_TOO_LARGE', message)
}
