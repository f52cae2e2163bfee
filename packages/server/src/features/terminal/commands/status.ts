import { facts } from '../output.ts'
import { readDatabase } from '../store.ts'
import { reading } from '../types.ts'

/** The node that answers and its database. */
export const status = reading(async ({ ctx }) => {
  const { nodes, loopDelay, pool, events, clock } = ctx
  const self = nodes.members().find(({ isSelf }) => isSelf)
  const database = await readDatabase(ctx.db)
  const { p99, max } = loopDelay.delays
  return [
    facts({
      node: nodes.name,
      version: self?.version ?? null,
      schema: self?.schema ?? null,
      started: self?.startedAt ?? null,
      now: clock.now(),
      'memory (MB)': Math.round((self?.memoryBytes ?? 0) / 1e6),
      'processors used': Math.round((self?.processors ?? 0) * 100) / 100,
      'event loop p99 (ms)': Math.round(p99 * 1000),
      'event loop max (ms)': Math.round(max * 1000),
      'events late (ms)': Math.round(events.lateMs),
      'connections of this node': pool.totalCount,
      'requests waiting for one': pool.waitingCount,
      PostgreSQL: database?.version ?? null,
      'database (MB)': Math.round((database?.bytes ?? 0) / 1e6),
      'connections of the database': database?.connections ?? null,
      problem: nodes.problem()?.text ?? null,
    }),
  ]
})
