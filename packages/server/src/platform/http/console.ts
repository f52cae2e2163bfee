import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '../log.ts'
import { type ConsolePage, manifestOf, pageOf } from './consolePage.ts'

const built = fileURLToPath(new URL('../../../../web/dist', import.meta.url))

/** The page of the console for a request; undefined: as it was built. */
type Page = (request: FastifyRequest) => Promise<string | undefined>
const pages = new WeakMap<FastifyInstance['server'], Page>()

/**
 * Replies with the console's page, which these web sites may show in a frame.
 * @param origins scheme and host of each
 */
export async function framedPage(reply: FastifyReply, origins: readonly string[]): Promise<FastifyReply> {
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
  return sendPage(reply)
}

const notBuilt = 'The console is not built yet: run "npm run build".\n'

/** Where the console is, and how it looks under the hosts of accounts. */
interface ConsoleOptions {
  log: Logger
  /** how the page differs under a host; null: as it was built */
  pageUnder: (host: string) => Promise<ConsolePage | null>
  folder?: string
}

/**
 * Serves the built console. Assets have a hash in their name and may be cached forever; the page that
 * references them, and the manifest, are revalidated every time and may differ by host. Without a build the
 * start page explains what to do.
 */
export async function mountConsole(
  http: FastifyInstance,
  { log, pageUnder, folder = built }: ConsoleOptions,
): Promise<void> {
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
      const hashed = /[\\/](assets|offline)[\\/]/.test(path)
      reply.header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  const html = readFileSync(`${folder}/index.html`, 'utf8')
  const made = new WeakMap<object, string>()
  const found = async (request: FastifyRequest): Promise<ConsolePage | null> => {
    try {
      return await pageUnder(request.hostname)
    } catch (error) {
      // A console without its brand is better than none.
      log.warn({ err: error, host: request.hostname }, 'the brand of a host could not be read')
      return null
    }
  }
  pages.set(http.server, async (request) => {
    const page = await found(request)
    if (page === null) return undefined
    const text = made.get(page.data) ?? pageOf(html, page)
    made.set(page.data, text)
    return text
  })
  for (const path of ['/', '/index.html']) http.get(path, (_request, reply) => sendPage(reply))
  http.get('/manifest.webmanifest', async (request, reply) => {
    const page = await found(request)
    if (page === null || page.name === null) return reply.sendFile('manifest.webmanifest')
    return reply
      .header('cache-control', 'no-cache')
      .type('application/manifest+json; charset=utf-8')
      .send(JSON.stringify(manifestOf(page, page.name)))
  })
}

async function sendPage(reply: FastifyReply): Promise<FastifyReply> {
  const text = await pages.get(reply.server.server)?.(reply.request)
  if (text === undefined) return reply.sendFile('index.html')
  return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(text)
}
