import { limits } from '@leitstand/contract/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../../../platform/errors.ts'
import { toAppError } from '../../../../platform/http/server.ts'
import { foreignMessage } from '../../presets/index.ts'
import type { Report } from '../../receive.ts'
import type { KindTools } from '../types.ts'

/** Rejections named in an answer; the others are in the connector's dead letters. */
const rejectionsShownMax = 100
const retryAfterSeconds = 1

/** A webhook connector as its key finds it. */
type Hook = NonNullable<ReturnType<KindTools['findByKey']>>

/**
 * `POST /api/hooks/{key}`, and `POST /api/hooks` with the key in the header `x-api-key`.
 * Any content type; the answer follows the commit: 200 `{accepted, duplicates, rejected, event}`, 422 when nothing of it
 * could be used (it is kept all the same), 503 with Retry-After when it must be sent again, 429 with the name of the limit
 * that is reached.
 */
export function mountHooks(tools: KindTools): void {
  tools.ctx.http.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.decorateRequest<Hook | null>('hook', null)
    // What a device calls its body says nothing, and some call it nothing a parser would take.
    scope.addHook('onRequest', (request, reply, done) => {
      request.headers['content-type'] = 'application/octet-stream'
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
    // Answers of a few bytes, thousands a second, that no browser shows: not worth the way through the compressor, nor
    // headers about frames and scripts.
    const options = { compress: false, helmet: false } as const
    scope.post('/api/hooks/:key', options, (request, reply) => handle(tools, request, reply))
    scope.post('/api/hooks', options, (request, reply) => handle(tools, request, reply))
  })
}

/** Why a request is refused before its body is read: what a flood sends in vain should cost as little as possible. */
function refusal({ findByKey, receiver }: KindTools, request: FastifyRequest): AppError | undefined {
  const hook = findByKey(keyOf(request))
  if (!hook) return new AppError('CONNECTOR_NOT_FOUND', undefined, 'No webhook has this key')
  if (!hook.enabled) return new AppError('CONNECTOR_DISABLED')
  if (!receiver.hasRoom(hook)) return new AppError('OVERLOADED')
  try {
    receiver.demandPass(hook)
  } catch (error) {
    return toAppError(error)
  }
  request.setDecorator<Hook | null>('hook', hook)
  return undefined
}

/** What well-behaved clients look at. The time is in seconds since 1970. */
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
  // It may have become full while the body came in.
  if (!tools.receiver.hasRoom(hook)) throw new AppError('OVERLOADED')
  const text = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : ''
  const message = foreignMessage(text, { query: textsOf(request.query) })
  if (message.json === undefined && hook.reading.preset !== 'template') {
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

/** Parameters of the address; of repeated ones the first. */
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
