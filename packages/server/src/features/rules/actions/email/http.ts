import type { Context } from '../../../../platform/context.ts'
import { AppError } from '../../../../platform/errors.ts'
import type { Recipients } from './recipients.ts'
import { stopPath } from './send.ts'

/**
 * One-click unsubscribe of mail programs (RFC 8058). They send a form, which is not read: only the token in
 * the path counts.
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
