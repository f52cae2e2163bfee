import { setTimeout as delay } from 'node:timers/promises'
import { type DatabaseAddress, openConnection, openFirstConnection } from './platform/db/index.ts'
import { type Migration, migrate } from './platform/db/migrate.ts'
import { requireDirect, requireSame } from './platform/db/pooler.ts'
import { StartError } from './platform/errors.ts'
import type { Logger } from './platform/log.ts'
import { Loop } from './platform/loop.ts'
import { clusterTimes, type Member, type Nodes } from './platform/nodes/index.ts'

/** How often it is looked whether nodes of the version before are gone. */
const lookMs = 5_000

interface SchemaOptions {
  /** without a pooler */
  address: DatabaseAddress
  /** those of this version */
  migrations: readonly Migration[]
  nodes: Pick<Nodes, 'isCluster' | 'members'>
  log: Logger
}

/**
 * Waits for the database, and checks that it is the same with and without the pooler.
 * @throws StartError
 */
export async function checkDatabase(
  address: DatabaseAddress,
  direct: DatabaseAddress,
  log: Logger,
): Promise<void> {
  const variable = direct === address ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'
  const connection = await openFirstConnection(direct, log, variable)
  try {
    await requireDirect(connection, variable)
    if (direct === address) return
    const through = await openFirstConnection(address, log)
    try {
      await requireSame(connection, (text) => through.query(text))
    } finally {
      await through.end()
    }
  } finally {
    await connection.end()
  }
}

/**
 * Migrates the schema. While nodes of the version before run, only migrations that add are applied; what removes
 * something waits until the last of these nodes has left.
 * @returns stops waiting
 * @throws StartError when this version and the database, or nodes that run, do not fit together
 */
export async function prepareSchema(options: SchemaOptions): Promise<AsyncDisposable> {
  const { migrations, nodes, log } = options
  const newest = migrations.length
  const older = () => nodes.members().filter((member) => !member.isSelf && schemaOf(member) < newest)
  if (!nodes.isCluster) {
    await step(options, true)
    return { [Symbol.asyncDispose]: async () => undefined }
  }
  const lastToAdd = migrations.findLast(({ isContract }) => !isContract)?.number ?? 0
  let reached = await step(options, older().length === 0)
  if (reached < lastToAdd) {
    // A node that was killed is still listed: it is gone when it stays silent.
    await delay(clusterTimes.silentMs + clusterTimes.beatMs)
    const running = older().filter(({ isAlive }) => isAlive)
    if (running.length > 0)
      throw new StartError(
        `Nodes of an older version run (${running.map(({ name }) => name).join(', ')}), and this one needs a newer schema than they can use: update them to the version in between, or stop them.`,
      )
    reached = await step(options, true)
  }
  const loop = new Loop({
    log,
    failure: 'the schema could not be brought up to date; tried again soon',
    retryMs: lookMs,
    async round() {
      if (reached < newest && older().length === 0) reached = await step(options, true)
      return reached < newest ? lookMs : 24 * 3_600_000
    },
  })
  if (reached < newest) {
    log.info({ nodes: older().map(({ name }) => name) }, 'the schema is completed when older nodes have left')
    loop.start()
  }
  return { [Symbol.asyncDispose]: () => loop.stop() }
}

/** @returns number of the newest migration that the database has */
async function step(
  { address, migrations, nodes, log }: SchemaOptions,
  mayContract: boolean,
): Promise<number> {
  const connection = await openConnection(address, 'leitstand migrations')
  try {
    const applied = await migrate(connection, migrations, { mayContract, mayBeBehind: nodes.isCluster })
    if (applied.length > 0) log.info({ migrations: applied }, 'database migrated')
    const { rows } = await connection.query<{ newest: number }>(
      'select max(number) as newest from schema_migrations',
    )
    return rows[0]?.newest ?? 0
  } finally {
    await connection.end()
  }
}

function schemaOf({ schema }: Member): number {
  return Number.parseInt(schema, 10)
}
