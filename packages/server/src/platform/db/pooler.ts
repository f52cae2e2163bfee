import type pg from 'pg'
import { StartError } from '../errors.ts'
import type { DatabaseAddress, Lent } from './index.ts'
import { identify } from './replicaIdentity.ts'

const begins = /^(begin|start transaction\b.*)$/
const ends = /^(commit|rollback)$/

/**
 * A connection through a pooler such as pgbouncer in transaction mode: two transactions may run on two connections of the
 * database, so nothing that outlasts a transaction may be set, and statements are not prepared by name. Whatever is not in a
 * transaction gets one, with the time limit.
 * @param ms time limit of each statement
 */
export function throughPooler(client: pg.PoolClient, ms: number): Lent {
  const settings = `set local timezone = 'UTC'; set local statement_timeout = ${ms}`
  let isOpen = false
  const end = async (text: string) => {
    const result = await client.query(text)
    isOpen = false
    return result
  }
  const begin = async (text: string) => {
    isOpen = true
    // Both in one message.
    const results = (await client.query(`${text}; ${settings}`)) as unknown as pg.QueryResult[]
    return results[0] as pg.QueryResult
  }
  return {
    query: async (text, values) => {
      if (begins.test(text)) return begin(text)
      if (ends.test(text)) return end(text)
      if (isOpen) return client.query(text, [...values])
      await begin('begin')
      try {
        const result = await client.query(text, [...values])
        await end('commit')
        return result
      } catch (error) {
        // Where that fails, too, the connection is closed; the first error is the one to report.
        await end('rollback').catch(() => undefined)
        throw error
      }
    },
    // A transaction that could not be ended ends with its connection.
    release: (destroy) => client.release(destroy === true || isOpen),
  }
}

/** What a pooler says to settings of a connection that it cannot keep. */
export const refusedByPooler = /unsupported startup parameter/

/** The sentence for an address behind a pooler where none may be. */
export function poolerSentence(variable: string): string {
  return variable === 'DATABASE_URL'
    ? 'DATABASE_URL leads to a connection pooler: also set DATABASE_DIRECT_URL, to the database itself.'
    : `${variable} leads to a connection pooler: it must lead to the database itself.`
}

/**
 * Refuses an address behind a pooler. A pooler names a process of its own.
 * @throws StartError
 */
export async function requireDirect(client: pg.Client, variable: string): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const { processID } = client as unknown as { processID: number | null }
  if (rows[0]?.pid !== processID) throw new StartError(poolerSentence(variable))
}

/**
 * Refuses two addresses of which one does not lead to the database of the other.
 * @param pooled a statement through the pooler
 * @throws StartError
 */
export async function requireSame(
  direct: pg.Client,
  pooled: (text: string) => Promise<pg.QueryResult>,
): Promise<void> {
  const [own, other] = [await identify((text) => direct.query(text)), await identify(pooled)]
  const isSame =
    own.system === other.system && own.database === other.database && own.startedAt === other.startedAt
  if (!isSame) throw new StartError('DATABASE_URL and DATABASE_DIRECT_URL lead to two databases.')
}

/** An address behind a pooler. */
export function pooled(address: DatabaseAddress): DatabaseAddress {
  return { ...address, pooled: true }
}
