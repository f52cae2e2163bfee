import type { Context } from '../../../../platform/context.ts'
import { AppError } from '../../../../platform/errors.ts'
import type { Recipients } from './recipients.ts'
import { stopPath } from './send.ts'

/**
 * Ends mails with one click of a mail program (RFC 8058). It sends a form, which is not read: all that counts is the
 * token in the path.
 */
export function mountStop({ http, config }: Pick<Context, 'http' | 'config'>, recipients: Recipients): void {
  void http.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume()
      done(null)
    })
    const count = scope.createRateLimit({ max: config.signInsPerMinute, timeWindow: 60_000 })
    scope.post<{ Params: { token: string } }>(`${stopPath}/:token`, async (request, reply) => {
      const counted = await count(request)
      if (!counted.isAllowed && counted.isExceeded) {
        reply.header('retry-after', counted.ttlInSeconds)
        throw new AppError('TOO_MANY_REQUESTS', { retryAfterSeconds: counted.ttlInSeconds })
      }
      await recipients.answer(request.params.token, false, request.ip)
      return { ok: true }
    })
  })
}
