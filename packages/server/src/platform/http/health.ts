import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Db } from '../db/index.ts'
import { messageOf } from '../errors.ts'
import type { Metrics } from '../metrics.ts'

/** Answers `/healthz` (the process lives), `/readyz` (it can do its work) and `/metrics` (Prometheus). */
export function mountHealth(
  http: FastifyInstance,
  db: Db,
  metrics: Metrics,
  isStopping: () => boolean,
): void {
  http.get('/healthz', async () => ({ status: 'ok' }))
  http.get('/readyz', async (_request, reply) => {
    if (isStopping()) return reply.status(503).send({ status: 'stopping' })
    try {
      await sql`select 1`.execute(db)
      return { status: 'ready' }
    } catch (error) {
      return reply.status(503).send({ status: 'database unreachable', message: messageOf(error) })
    }
  })
  http.get('/metrics', async (_request, reply) => {
    reply.type(metrics.registry.contentType)
    return metrics.registry.metrics()
  })
}
