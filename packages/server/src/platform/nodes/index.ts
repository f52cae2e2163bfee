import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { Db } from '../db/index.ts'
import { StartError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { Alone } from './alone.ts'
import { Cluster } from './cluster.ts'
import { connectNats } from './connect.ts'
import type { Nodes } from './types.ts'

export { Cluster, clusterTimes } from './cluster.ts'
export { withReplicas } from './connect.ts'
export { readMark, writeMark } from './marks.ts'
export { type Role, roles } from './roles.ts'
export type { Member, Nodes, SharedWork } from './types.ts'

/** The clocks of nodes decide what is late, due and valid, and must agree with that of the database. */
const clockOffMaxMs = 5_000

interface NodesOptions {
  config: Pick<Config, 'nats' | 'nodeName' | 'roles'>
  db: Db
  log: Logger
  version: string
  schema: string
  onLost: (error: Error) => void
}

/**
 * Joins the nodes of the installation; without `NATS_URL` this process is alone.
 * @throws StartError when NATS cannot do what is needed, the clock is wrong, or the name is taken
 */
export async function joinNodes({ config, db, log, version, schema, onLost }: NodesOptions): Promise<Nodes> {
  const { nats, nodeName: name, roles } = config
  if (nats === null) return new Alone({ name, log, version, schema })
  await demandClock(db)
  const nc = await connectNats(nats, name, log)
  try {
    return await Cluster.join({ nc, name, roles, version, schema, log, onLost })
  } catch (error) {
    await nc.close()
    throw error
  }
}

async function demandClock(db: Db): Promise<void> {
  const before = Date.now()
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const middle = (before + Date.now()) / 2
  const offMs = middle - (rows[0]?.now.getTime() ?? middle)
  if (Math.abs(offMs) <= clockOffMaxMs) return
  const seconds = Math.round(Math.abs(offMs) / 1000)
  throw new StartError(
    `The clock of this node is ${seconds} s ${offMs > 0 ? 'ahead of' : 'behind'} that of the database; set it first, e.g. with NTP.`,
  )
}
