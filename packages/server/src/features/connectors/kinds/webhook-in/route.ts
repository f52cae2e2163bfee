import { limits } from '@leitstand/contract/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../platform/context.ts'
import { AppError } from '../../../../platform/errors.ts'
import { toAppError } from '../../../../platform/http/server.ts'
import type { Journal } from '../../journal.ts'
import { foreignMessage } from '../../presets/index.ts'
import type { Receiver, Receiving, Report } from '../../receive.ts'

/** Rejections named in an answer; the others are in the connector's dead letters. */
const rejectionsShownMax = 100
const retryAfterSeconds = 1

/** A webhook connector as its address finds it. */
export type Hook = Receiving & { readonly enabled: boolean }

interface Tools {
  readonly ctx: Context
  readonly receiver: Receiver
  readonly journal: Journal
  /** Looks up the connector of a key; constant time, in memory. */
  findHook(key: string): Hook | undefined
}

/**
 * `POST /api/hooks/{key}`, and `POST /api/hooks` with the key in the header `x-api-key`.
 * Any content type; the answer follows the commit: 200 `{accepted, duplicates, rejected, event}`, 422 when nothing of it
 * could be used (it is kept all the same), 503 with Retry-After when it must be sent again.
 */
export function mountHooks(tools: Tools): void {
  tools.ctx.http.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.setErrorHandler((error, request, reply) => {
      const known = toAppError(error)
      if (known.code === 'BODY_TOO_LARGE') noteTooLarge(tools, request)
      if (known.code === 'OVERLOADED') reply.header('retry-after', retryAfterSeconds)
      if (known.status >= 500 && known.code !== 'OVERLOADED') {
        tools.ctx.log.error({ err: error, requestId: request.id }, 'a webhook failed')
      }
      return reply.status(known.status).send(known.toReply(request.id))
    })
    // Answers of a few bytes, thousands a second: not worth the way through the compressor.
    scope.post('/api/hooks/:key', { compress: false }, (request, reply) => handle(tools, request, reply))
    scope.post('/api/hooks', { compress: false }, (request, reply) => handle(tools, request, reply))
  })
}

async function handle(tools: Tools, request: FastifyRequest, reply: FastifyReply) {
  const hook = tools.findHook(keyOf(request))
  if (!hook) throw new AppError('CONNECTOR_NOT_FOUND', undefined, 'No webhook has this key')
  if (!hook.enabled) throw new AppError('CONNECTOR_DISABLED')
  if (!tools.receiver.hasRoom()) throw new AppError('OVERLOADED')
  const text = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : ''
  const message = foreignMessage(text, { query: textsOf(request.query) })
  if (message.json === undefined && hook.reading.preset !== 'template') {
    const code = 'BODY_NOT_JSON'
    await tools.receiver.refuse(hook, { raw: text, identifier: null, code, message: 'The body is not JSON' })
    throw new AppError(code)
  }
  const report = await tools.receiver.receive(hook, message)
  const answer = answerOf(report)
  reply.header('cache-control', 'no-store')
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

function noteTooLarge({ findHook, journal }: Tools, request: FastifyRequest): void {
  const hook = findHook(keyOf(request))
  const bytes = request.headers['content-length'] ?? 'more'
  const message = `A body of ${bytes} bytes was refused, allowed are ${limits.bodyBytesMax}`
  if (hook) journal.log(hook.id, { level: 'warning', event: 'too-large', message })
}
