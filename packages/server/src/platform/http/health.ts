import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { Db } from '../db/index.ts'
import { messageOf, StartError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { LoopDelay } from '../loopDelay.ts'
import type { Metrics } from '../metrics.ts'
import { type Role, roles } from '../nodes/roles.ts'
import type { Nodes } from '../nodes/types.ts'

interface Health {
  config: Pick<Config, 'metrics'>
  db: Db
  log: Logger
  metrics: Metrics
  loopDelay: LoopDelay
  nodes: Pick<Nodes, 'has' | 'problem'>
  isStopping: () => boolean
}

/** Headers in which proxies report the original client. */
const proxyHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

/**
 * Serves `/healthz` (the process is alive), `/readyz` (it can do its work, with `?role=` that of one role) and
 * `/metrics` (Prometheus).
 * Remote callers get only a yes or no from the first two, without a reason; `/metrics` is hidden from them.
 */
export function mountHealth(http: FastifyInstance, health: Health): void {
  const { token, listen } = health.config.metrics
  const knows = (request: FastifyRequest) => token !== undefined && isToken(request, token)
  // Where metrics have a port of their own, or a token, being on the same machine is not enough.
  const sees = (request: FastifyRequest) =>
    token === undefined ? listen === undefined && isLocal(request) : knows(request)
  const ready = readiness(health)
  http.get('/healthz', async () => ({ status: 'ok' }))
  http.get('/readyz', (request, reply) => ready(reply, knows(request), roleOf(request)))
  http.get('/metrics', async (request, reply) => {
    if (!sees(request)) return reply.callNotFound()
    return sendMetrics(reply, health)
  })
}

/**
 * Serves the same on a separate address, for networks that outsiders cannot reach; undefined if none is
 * configured.
 * @throws StartError when the port cannot be opened
 */
export async function openMetrics(health: Health): Promise<(AsyncDisposable & { port: number }) | undefined> {
  const { token, listen } = health.config.metrics
  if (!listen) return undefined
  const http = Fastify({ logger: false, forceCloseConnections: true })
  const ready = readiness(health)
  if (token !== undefined)
    http.addHook('onRequest', async (request, reply) => {
      if (!isToken(request, token))
        return reply.status(401).send({ status: 'METRICS_TOKEN is missing or wrong' })
    })
  http.get('/healthz', async () => ({ status: 'ok' }))
  http.get('/readyz', (request, reply) => ready(reply, true, roleOf(request)))
  http.get('/metrics', (_request, reply) => sendMetrics(reply, health))
  try {
    await http.listen(listen)
  } catch (error) {
    throw new StartError(`Metrics cannot listen at ${listen.host}:${listen.port}: ${messageOf(error)}`)
  }
  const address = http.server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : listen.port,
    [Symbol.asyncDispose]: () => http.close(),
  }
}

async function sendMetrics(reply: FastifyReply, { metrics }: Health) {
  return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
}

/**
 * @returns a check of whether the platform can do its work; the reason is only for the log and for authorised
 * callers
 */
function readiness({ db, log, loopDelay, nodes, isStopping }: Health) {
  const wasReady = new Map<string, boolean>()
  return async (reply: FastifyReply, mayKnow: boolean, role: Role | 'unknown' | null) => {
    const problem = isStopping() ? 'stopping' : (problemOfRole(nodes, role) ?? (await problemOf(db)))
    const isReady = problem === null
    const name = role ?? 'all'
    if (!isReady && wasReady.get(name) !== false) log.warn({ reason: problem, role: name }, 'not ready')
    wasReady.set(name, isReady)
    const details = mayKnow ? { problem, eventLoop: loopDelay.delays } : {}
    return reply.status(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready', ...details })
  }
}

/** The role a balancer asks for; null: everything this node does. */
function roleOf(request: FastifyRequest): Role | 'unknown' | null {
  const { role } = request.query as { role?: unknown }
  if (role === undefined) return null
  return roles.find((each) => each === role) ?? 'unknown'
}

/** The console reads what is stored, also while NATS is gone; everything else needs the other nodes. */
function problemOfRole(nodes: Health['nodes'], role: Role | 'unknown' | null): string | null {
  if (role === 'unknown') return 'there is no such role'
  if (role !== null && !nodes.has(role)) return `this node does not have the role ${role}`
  return role === 'web' ? null : (nodes.problem()?.text ?? null)
}

async function problemOf(db: Db): Promise<string | null> {
  try {
    await sql`select 1`.execute(db)
    return null
  } catch (error) {
    return `the database cannot be used: ${messageOf(error)}`
  }
}

function isToken(request: FastifyRequest, token: string): boolean {
  const given = /^Bearer (\S{1,1000})$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}

/**
 * Whether a request comes from this machine and not through a proxy on it. A page in a local browser could
 * use a host name of its own that resolves to this machine, so only addresses and `localhost` count.
 */
function isLocal(request: FastifyRequest): boolean {
  const peer = request.raw.socket.remoteAddress ?? ''
  if (!isLoopback(peer) || proxyHeaders.some((name) => request.headers[name] !== undefined)) return false
  const name = URL.parse(`http://${request.headers.host ?? ''}`)?.hostname ?? ''
  return name === 'localhost' || isLoopback(name.replace(/^\[|\]$/g, ''))
}

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '')
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'))
}
