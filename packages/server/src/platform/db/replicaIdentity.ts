import type pg from 'pg'
import { StartError } from '../errors.ts'

/** What tells a database server from another one. */
export interface ServerIdentity {
  version: number
  /** the same for a primary and its replicas */
  system: string
  database: string
  /** seconds since 1970 */
  startedAt: string
  recovers: boolean
  /** of a page of the write-ahead log */
  pageBytes: number
}

/** Asks a server who it is. */
export async function identify(query: (text: string) => Promise<pg.QueryResult>): Promise<ServerIdentity> {
  const { rows } = await query(`
    select current_setting('server_version_num')::int as version,
      (select system_identifier from pg_control_system())::text as system,
      current_database() as database, extract(epoch from pg_postmaster_start_time())::text as "startedAt",
      pg_is_in_recovery() as recovers, current_setting('wal_block_size')::int as "pageBytes"`)
  return rows[0] as ServerIdentity
}

/** The read address leads to the primary, as some clusters have it while they have no replica. */
export class SameServer extends Error {
  constructor() {
    super('DATABASE_READ_URL and DATABASE_URL are the same server')
    this.name = 'SameServer'
  }
}

/**
 * Checks that a server is a replica of the primary.
 * @throws StartError with a sentence for the operator; SameServer when it is the primary itself
 */
export function requireReplica(primary: ServerIdentity, replica: ServerIdentity): void {
  if (replica.system === primary.system && replica.startedAt === primary.startedAt) throw new SameServer()
  const problem = problemOf(primary, replica)
  if (problem !== null) throw new StartError(problem)
}

function problemOf(primary: ServerIdentity, replica: ServerIdentity): string | null {
  const major = ({ version }: ServerIdentity) => Math.floor(version / 10_000)
  if (major(primary) !== major(replica)) {
    return `DATABASE_READ_URL is PostgreSQL ${major(replica)} and DATABASE_URL is PostgreSQL ${major(primary)}: a replica has the version of its primary.`
  }
  if (primary.system !== replica.system) {
    return 'DATABASE_READ_URL is not a replica of DATABASE_URL: they are two database clusters.'
  }
  if (primary.database !== replica.database) {
    return `DATABASE_READ_URL names the database ${replica.database} and DATABASE_URL names ${primary.database}.`
  }
  if (!replica.recovers) {
    return 'DATABASE_READ_URL is not a replica: the server has been promoted and has a history of its own.'
  }
  if (primary.recovers) return 'DATABASE_URL is a replica: it must be the primary.'
  return null
}
