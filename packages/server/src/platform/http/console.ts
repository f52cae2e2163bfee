import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const built = fileURLToPath(new URL('../../../../web/dist', import.meta.url))

/**
 * Serves the built console. Its assets carry a hash in their name and may be kept for ever; the page that names them
 * is asked for every time. Without a build the start page says what to do.
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
