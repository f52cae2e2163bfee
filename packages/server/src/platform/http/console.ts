import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'

const built = fileURLToPath(new URL('../../../../web/dist', import.meta.url))

/**
 * Replies with the console's page, which these web sites may show in a frame.
 * @param origins scheme and host of each
 */
export function framedPage(reply: FastifyReply, origins: readonly string[]): FastifyReply {
  if (!reply.server.hasReplyDecorator('sendFile')) return reply.status(503).send(notBuilt)
  if (origins.length > 0) {
    const policy = String(reply.getHeader('content-security-policy'))
    reply.header(
      'content-security-policy',
      policy.replace(/frame-ancestors [^;]*/, `frame-ancestors 'self' ${origins.join(' ')}`),
    )
    // Knows only one site; browsers that know the policy ignore it.
    reply.removeHeader('x-frame-options')
  }
  return reply.sendFile('index.html')
}

const notBuilt = 'The console is not built yet: run "npm run build".\n'

/**
 * Serves the built console. Assets have a hash in their name and may be cached forever; the page that
 * references them is revalidated every time. Without a build the start page explains what to do.
 */
export async function mountConsole(http: FastifyInstance, folder = built): Promise<void> {
  if (!existsSync(`${folder}/index.html`)) {
    http.get('/', async (_request, reply) =>
      reply.status(503).type('text/plain; charset=utf-8').send(notBuilt),
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
