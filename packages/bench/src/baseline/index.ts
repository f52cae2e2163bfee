import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { endChild, keepTail } from '../platform.ts'

const database = 'bench_baseline'

export interface Baseline extends AsyncDisposable {
  port: number
  pid: number
  /** its last error output */
  said: () => string
}

/**
 * Starts the baseline in a database of its own in the same cluster.
 * @param cluster connection to a database that may create others
 */
export async function startBaseline(cluster: pg.ClientConfig, devices: number): Promise<Baseline> {
  await inCluster(cluster, [
    `drop database if exists ${database} with (force)`,
    `create database ${database}`,
  ])
  const child = fork(fileURLToPath(new URL('main.ts', import.meta.url)), [], {
    env: {
      ...process.env,
      BENCH_DATABASE: JSON.stringify({ ...cluster, database }),
      BENCH_DEVICES: String(devices),
    },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const said = keepTail(child)
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message: { port: number }) => resolve(message.port))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the baseline ended with ${code}: ${said()}`)))
  })
  return {
    port,
    said,
    pid: child.pid as number,
    async [Symbol.asyncDispose]() {
      await endChild(child)
      await inCluster(cluster, [`drop database if exists ${database} with (force)`])
    },
  }
}

async function inCluster(cluster: pg.ClientConfig, statements: readonly string[]): Promise<void> {
  const client = new pg.Client(cluster)
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
