import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { mountPath, type OAuthProvider } from './provider.ts'

/**
 * Calls allowed per minute and address for each allowed sign-in attempt: programs request tokens more often.
 */
const callsPerSignIn = 10

/**
 * Serves the protocol below `/oauth2`. The library reads and validates request bodies itself. Forwarding
 * headers are overwritten with the server's values, whatever the request contains.
 */
export function mountProvider(
  { http, config }: Pick<Context, 'http' | 'config'>,
  oauth: OAuthProvider,
): void {
  const publicUrl = new URL(config.publicUrl)
  const outside = publicUrl.pathname.replace(/\/$/, '')
  void http.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    const count = scope.createRateLimit({
      max: config.signInsPerMinute * callsPerSignIn,
      timeWindow: 60_000,
    })
    scope.all(`${mountPath}/*`, async (request, reply) => {
      const counted = await count(request)
      if (!counted.isAllowed && counted.isExceeded) {
        reply.header('retry-after', counted.ttlInSeconds)
        throw new AppError('TOO_MANY_REQUESTS', { retryAfterSeconds: counted.ttlInSeconds })
      }
      // Parameters of the URL are stored with the request, and PostgreSQL text cannot contain NUL.
      if (request.url.includes('%00')) throw new AppError('PARAMETER_VALIDATION_ERROR')
      const serve = (await oauth.get()).callback()
      const { raw } = request
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value)
      const { ip } = request
      raw.headers['x-forwarded-for'] = ip
      raw.headers['x-forwarded-proto'] = publicUrl.protocol.slice(0, -1)
      raw.headers['x-forwarded-host'] = publicUrl.host
      const path = (raw.url ?? '').slice(mountPath.length)
      // The library derives its public mount path from the difference of the two.
      Object.assign(raw, { url: path, originalUrl: `${outside}${mountPath}${path}` })
      reply.hijack()
      await serve(raw, reply.raw)
    })
  })
}
