import type { Context } from '../../platform/context.ts'
import { imagePath } from './shown.ts'
import { findImage } from './store.ts'

/** Requests for images of one address. */
const perMinute = 600

/** Serves the images of brands. They need no session; an address never changes its content. */
export function mountImages({ http, db }: Pick<Context, 'http' | 'db'>): void {
  http.get<{ Params: { name: string } }>(
    `${imagePath}/:name`,
    { config: { rateLimit: { max: perMinute, timeWindow: '1 minute' } } },
    async (request, reply) => {
      const [, hash] = /^([\da-f]{64})\.png$/.exec(request.params.name) ?? []
      const bytes = hash === undefined ? undefined : await findImage(db, hash)
      if (bytes === undefined) return reply.callNotFound()
      return reply
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .type('image/png')
        .send(bytes)
    },
  )
}
