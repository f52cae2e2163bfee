import { setTimeout as delay } from 'node:timers/promises'
import {
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPool,
  type PostgresQueryResult,
  type RawBuilder,
  sql,
  type Transaction,
} from 'kysely'
import pg from 'pg'
import { messageOf, StartError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { currentTimeLimit } from '../timeLimit.ts'
import { poolerSentence, refusedByPooler, throughPooler } from './pooler.ts'
import type { DB, JsonValue } from './types.gen.ts'

export type { DB } from './types.gen.ts'

/** The database. */
export type Db = Kysely<DB>

/** First parameter of functions in a `store.ts`: the database or a transaction. */
export type Executor = Kysely<DB> | Transaction<DB>

/** Connections of one pool; the embedded database allows 80. */
export const poolConnections = { min: 5, max: 60, usual: 20 } as const
const connectTimeoutMs = 10_000
const idleTimeoutMs = 30_000
/** For background work: a slower statement would hold up everything else. Requests have their own limits. */
export const statementTimeoutMs = 60_000
/** Error code of a statement that the database cancelled, for example on a timeout. */
const queryCanceled = '57014'
/** Error code of a statement that waited too long for a lock. */
const lockNotAvailable = '55P03'

/**
 * How PostgreSQL values are converted to JavaScript: bigint to number (ours stay far below 2^53), date to
 * text (`2026-11-20`, it has no time zone), timestamptz to Date, numeric to text.
 */
const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === pg.types.builtins.INT8) return Number
    if (oid === pg.types.builtins.DATE) return (text: string) => text
    return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text')
  },
}

/** Where the database is: `pg` settings including the database's name, or a connection string. */
export type DatabaseAddress = (
  | { connectionString: string }
  | { host: string; port: number; user: string; password?: string; database: string }
) & {
  /** behind a pooler in transaction mode */
  pooled?: boolean
  /** of one pool; absent: the usual number */
  connectionsMax?: number
}

/** Settings for a single connection with our type parsers and UTC. */
export function connectionSettings(
  { pooled = false, connectionsMax: _, ...address }: DatabaseAddress,
  name: string,
): pg.ClientConfig {
  return {
    ...address,
    application_name: name,
    types: typeParsers,
    // A pooler accepts no settings.
    ...(pooled ? {} : { options: '-c TimeZone=UTC' }),
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  }
}

const patienceMs = 30_000
const retryMs = 500
/** Errors while the database starts: nothing is listening, the name is unknown, the server is starting up. */
const passing = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', '57P03']

/**
 * Opens the first connection. When several programs start together the database may come up later, so it
 * retries for 30 s.
 * @param variable with the address, for the error
 * @throws StartError with the reason when the database cannot be reached or refuses the connection
 */
export async function openFirstConnection(
  address: DatabaseAddress,
  log: Logger,
  variable = 'DATABASE_URL',
): Promise<pg.Client> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    try {
      return await openConnection(address, 'leitstand start')
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      const reason = messageOf(error) || code
      if (!passing.includes(code) || Date.now() > deadline) {
        if (refusedByPooler.test(reason)) throw new StartError(poolerSentence(variable), { cause: error })
        throw new StartError(`The database cannot be used: ${reason}. Check ${variable}.`, { cause: error })
      }
      log.warn({ reason }, 'the database cannot be reached yet')
      await delay(retryMs)
    }
  }
}

export interface Database extends AsyncDisposable {
  db: Db
  pool: pg.Pool
  /** A statement outside of the query builder, with the same time limit. */
  query(text: string, values?: readonly unknown[]): Promise<pg.QueryResult>
}

/** Connections of one kind, lent with the time limit of the request that uses them. */
export interface Lender {
  pool: pg.Pool
  lend(): Promise<Lent>
}

/** Opens a pool. A connection that breaks while idle is replaced and logged. */
export function openPool(
  address: DatabaseAddress,
  name: string,
  log: Logger,
  settings: pg.PoolConfig = {},
): Lender {
  const pool = new pg.Pool({
    ...connectionSettings(address, name),
    max: address.connectionsMax ?? poolConnections.usual,
    idleTimeoutMillis: idleTimeoutMs,
    ...(address.pooled ? {} : { statement_timeout: statementTimeoutMs }),
    ...settings,
  })
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection broke'))
  // The pool only handles errors of idle connections; an unhandled error of one in use would end the process.
  // The caller gets the error from the current statement, or from the next one.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const limitOf = new WeakMap<pg.PoolClient, number>()
  return {
    pool,
    lend: async () => {
      const client = await pool.connect()
      const wantedMs = currentTimeLimit()?.statementMs ?? statementTimeoutMs
      if (address.pooled) return throughPooler(client, wantedMs)
      if (wantedMs !== (limitOf.get(client) ?? statementTimeoutMs)) await limitStatements(client, wantedMs)
      limitOf.set(client, wantedMs)
      return {
        query: (text, values) => client.query(statementOf(text, values)),
        release: (destroy) => client.release(destroy),
      }
    },
  }
}

/**
 * Opens the pool and the query builder on it.
 * @param replica lends a connection for work that may read from a replica; undefined: none can be used now
 */
export function openDatabase(
  address: DatabaseAddress,
  log: Logger,
  replica: { lend(): Promise<Lent> | undefined } = { lend: () => undefined },
): Database {
  const { pool, lend } = openPool(address, 'leitstand', log)
  const db = queryBuilder(
    () => replica.lend() ?? lend(),
    () => pool.end(),
  )
  return {
    db,
    pool,
    query: async (text, values = []) => {
      const { query, release } = await lend()
      try {
        return await query(text, values)
      } finally {
        release()
      }
    },
    [Symbol.asyncDispose]: async () => {
      // Kysely ends the pool only if a query of its own has used it.
      await db.destroy()
      if (!pool.ending) await pool.end()
    },
  }
}

async function limitStatements(client: pg.PoolClient, ms: number): Promise<void> {
  try {
    await client.query(`set statement_timeout = ${ms}`)
  } catch (error) {
    client.release(true)
    throw error
  }
}

const preparedName = /^\s*\/\* prepared: ([\w.]{1,60}) \*\//

/**
 * The query for `pg`. Statements that begin with the comment `prepared: <name>` are parsed and planned once
 * per connection: for the few that run with every batch. A name must always have the same text.
 */
export function statementOf(text: string, values: readonly unknown[]): pg.QueryConfig {
  const name = preparedName.exec(text)?.[1]
  return { ...(name === undefined ? {} : { name }), text, values: [...values] }
}

/** A connection on loan to the query builder. */
export interface Lent {
  query(text: string, values: readonly unknown[]): Promise<pg.QueryResult>
  release(destroy?: boolean): void
}

/** The query builder on connections that `lend` hands out, one for each statement or transaction. */
export function queryBuilder(lend: () => Promise<Lent>, end: () => Promise<void>): Db {
  const pool: PostgresPool = {
    options: {},
    end,
    async connect() {
      const lent = await lend()
      function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
      function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
      function query(text: string | object, values: readonly unknown[] = []): unknown {
        if (typeof text !== 'string') throw new Error('cursors are not in use')
        return lent.query(text, values)
      }
      return { query, release: (destroy?: boolean) => lent.release(destroy) }
    },
  }
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
}

/**
 * A connection outside the pool, for LISTEN and for locks that live as long as the process. The caller closes
 * it; a lost connection is reported by its `error` event and by the next statement.
 */
export async function openConnection(address: DatabaseAddress, name: string): Promise<pg.Client> {
  const client = new pg.Client(connectionSettings(address, name))
  // An unhandled `error` event would end the process.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/**
 * A value for a jsonb column. Needed for arrays and plain strings, which `pg` would otherwise encode
 * differently.
 */
export function jsonb(value: object | string | number | boolean | null): RawBuilder<JsonValue> {
  return sql<JsonValue>`${JSON.stringify(value)}::jsonb`
}

/** Right side of `where('scope_id', '=', anyOf(ids))`: a single parameter for any number of ids. */
export function anyOf(ids: readonly number[]): RawBuilder<number> {
  return sql<number>`any(${[...ids]}::int[])`
}

/** Name of the unique constraint a failed statement violated, else undefined. */
export function violatedUnique(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== '23505') return undefined
  return error.constraint ?? ''
}

/** The database's error codes for integers, numbers and times outside the range of their columns. */
const rangeErrors: readonly unknown[] = ['22003', '22008']

/**
 * Columns are narrower than the numbers and times of JSON, so a value that does not fit came from the input.
 */
export function isOutOfRange(error: unknown): boolean {
  return error instanceof pg.DatabaseError && rangeErrors.includes(error.code)
}

/** Whether the database ended a statement because it took too long. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === queryCanceled
}

/** Whether the database ended a statement because what it needs was locked for too long. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === lockNotAvailable
}
