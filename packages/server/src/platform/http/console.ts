import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const built = fileURLToPath(new URL('../../../../web/dist', import.meta.url))

/**
 * Serves the built console. Assets have a hash in their name and may be cached forever; the page that
 * references them is revalidated every time. Without a build the start page explains what to do.
 */
export async function mountConsole(http: FastifyInstance, folder = built): Promise<void> {
  if (!existsSync(`${folder}/index.html`)) {
    http.get('/', async (_request, reply) =>
      reply
        .status(503)
        .type('text/plain; charset=utf-8')
        .send('The console is not built yet: run "npm run build".\n'),
    )
    return
  }
  await http.register(fastifyStatic, {
    root: folder,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const hashed = /[\\/]assets[\\/]/.test(path)
      reply.header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
}
