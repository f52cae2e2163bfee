import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StartError } from '../errors.ts'
import type { Logger } from '../log.ts'

/**
 * How to reach the cluster; nothing listens on a network port, the port is only part of the socket's file
 * name.
 */
export interface ClusterConnection {
  /** folder of the socket */
  host: string
  port: number
  user: string
  password: string
}

export const role = 'leitstand'
export const socketPort = 5432
const stopTimeoutMs = 30_000
const wrongPassword = '28P01'
/** After a server was killed the database takes a moment to notice, on a busy machine longer. */
const ownerGoneMs = 2_000
const pollMs = 50
/** Held by the server that uses the cluster, so that a second one on the same folder refuses to start. */
const ownerLock = 7_211_001

/**
 * Cleanly stops a database that still runs on our folder after its server was killed. Removes a stale pid
 * file, even when its pid now belongs to another program.
 * @param password undefined: none is known
 * @throws StartError when another server uses the folder
 */
export async function endOrphan(cluster: string, log: Logger, password: string | undefined): Promise<void> {
  const file = join(cluster, 'postmaster.pid')
  if (!existsSync(file)) return
  const [pidText = '', , , port = '', socketDir = ''] = readFileSync(file, 'utf8').split('\n')
  const pid = Number.parseInt(pidText, 10)
  if (!isPostgres(pid, cluster)) {
    rmSync(file, { force: true })
    return
  }
  const place = { host: socketDir.trim(), port: Number(port) || socketPort }
  // A cluster from a version without passwords accepts any.
  const connection = { ...place, user: role, password: password ?? 'none' }
  await outliveOwner(connection)
  log.warn({ pid }, 'a database left running by an earlier start is being stopped')
  process.kill(pid, 'SIGINT')
  const deadline = Date.now() + stopTimeoutMs
  while (isPostgres(pid, cluster)) {
    if (Date.now() > deadline)
      throw new StartError(`The database process ${pid} on ${cluster} does not stop.`)
    await delay(pollMs)
  }
}

/** How to reach a database that runs on a folder; undefined when none is running. */
export function findRunning(cluster: string, password: string | undefined): ClusterConnection | undefined {
  const file = join(cluster, 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const [pid = '', , , port = '', host = ''] = readFileSync(file, 'utf8').split('\n')
  if (!isPostgres(Number.parseInt(pid, 10), cluster)) return undefined
  return { host: host.trim(), port: Number(port) || socketPort, user: role, password: password ?? 'none' }
}

/** @throws StartError when another server uses the database and does not exit within a moment */
async function outliveOwner(connection: ClusterConnection): Promise<void> {
  for (const deadline = Date.now() + ownerGoneMs; ; await delay(pollMs)) {
    try {
      const probe = await claim(connection)
      await probe.release()
      return
    } catch (error) {
      if ((error as { code?: unknown }).code === wrongPassword)
        throw new StartError(
          'Another Leitstand server already uses this DATA_DIR: its database runs with another password than postgres.password says.',
        )
      if (!(error instanceof StartError)) return // starting up or shutting down: not in use
      if (Date.now() > deadline) throw error
    }
  }
}

/** Whether a process is a PostgreSQL on this cluster (the system reuses process ids). */
function isPostgres(pid: number, cluster: string): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  if (!existsSync('/proc/self/cmdline')) return true // no /proc: trust the pid file, as PostgreSQL does
  try {
    const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return program.endsWith('postgres') && args.includes(cluster)
  } catch {
    return false // exited between the two checks
  }
}

export interface Claim {
  release(): Promise<void>
  reclaim(): Promise<void>
}

/**
 * Takes the lock that marks the cluster as used.
 * @throws StartError when another server holds it
 */
export async function claim(connection: ClusterConnection): Promise<Claim> {
  const take = async () => {
    const client = new pg.Client({ ...connection, database: 'postgres', application_name: 'leitstand owner' })
    client.on('error', () => undefined) // the connection ends with the database; its restart takes the lock again
    await client.connect()
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      ownerLock,
    ])
    if (!rows[0]?.taken) {
      await client.end()
      throw new StartError(
        'Another Leitstand server already uses this DATA_DIR: stop it first, or set another one.',
      )
    }
    return client
  }
  let client = await take()
  return {
    release: () => client.end().catch(() => undefined),
    reclaim: async () => {
      client = await take()
    },
  }
}
