import { Socket } from 'node:net'
import type { RawBuilder } from 'kysely'
import pg from 'pg'
import type { Logger } from '../log.ts'
import { Mutex } from '../mutex.ts'
import {
  connectionSettings,
  type DatabaseAddress,
  type Db,
  type Executor,
  type Lent,
  queryBuilder,
  statementOf,
  statementTimeoutMs,
} from './index.ts'

/** A transaction whose statements are sent without waiting for earlier ones. */
export interface Unit {
  /**
   * Waits for each result; sees the effect of earlier statements. Every call must be awaited before the work
   * ends.
   */
  readonly db: Executor
  /**
   * Sends a statement at once. If it fails the transaction fails, whether or not the result is awaited.
   * @returns its rows
   */
  send<R>(statement: RawBuilder<R>): Promise<R[]>
}

/**
 * One connection for the batches of the pipeline: the database works through a transaction while this process
 * reads and decodes the next one, without a round trip through a busy event loop between statements.
 *
 * Transactions run one after the other. A lost connection fails the current one; the next opens a new
 * connection.
 */
export class Writer implements AsyncDisposable {
  readonly #address: DatabaseAddress
  readonly #log: Logger
  readonly #onOpen: (db: Db) => void
  readonly #turn = new Mutex()
  #connection: Connection | undefined

  /** @param onOpen gets the query builder of each connection, before its first transaction */
  constructor(address: DatabaseAddress, log: Logger, onOpen: (db: Db) => void = () => undefined) {
    this.#address = address
    this.#log = log
    this.#onOpen = onOpen
  }

  /**
   * Runs `work` in a transaction of its own and commits it.
   * @throws the error of `work`, or the first failure of a statement; nothing is stored then
   */
  transaction<T>(work: (unit: Unit) => Promise<T>): Promise<T> {
    return this.#turn.run(async () => {
      this.#connection ??= await Connection.open(this.#address, this.#log, this.#onOpen)
      const connection = this.#connection
      try {
        return await connection.transaction(work)
      } finally {
        if (connection.isBroken) {
          this.#connection = undefined
          await connection.close()
        }
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turn.run(async () => {
      await this.#connection?.close()
      this.#connection = undefined
    })
  }
}

class Connection {
  readonly #client: pg.Client
  readonly #socket: Socket
  readonly #db: Db
  /** first failed statement of the current transaction */
  #failure: { error: unknown } | undefined
  /** calls through the query builder still in progress */
  #open = 0
  #isActive = false
  /** what is written is held until the end of this turn of the event loop */
  #isGathering = false
  isBroken = false

  static async open(address: DatabaseAddress, log: Logger, onOpen: (db: Db) => void): Promise<Connection> {
    const socket = new Socket()
    const client = new pg.Client({
      ...connectionSettings(address, 'leitstand writer'),
      stream: () => socket,
      pipeline: true,
      statement_timeout: statementTimeoutMs,
    })
    const connection = new Connection(client, socket, log)
    await client.connect()
    onOpen(connection.#db)
    return connection
  }

  private constructor(client: pg.Client, socket: Socket, log: Logger) {
    this.#client = client
    this.#socket = socket
    client.on('error', (error) => {
      this.isBroken = true
      log.warn({ err: error }, 'the connection that stores packets broke; the next batch opens a new one')
    })
    client.on('end', () => {
      this.isBroken = true
    })
    const lend = async (): Promise<Lent> => {
      if (!this.#isActive) throw new Error('the transaction this statement belongs to has ended')
      this.#open++
      return {
        query: (text, values) => this.#query(text, values),
        release: () => {
          this.#open--
        },
      }
    }
    // The connection is closed by the code that opened it.
    this.#db = queryBuilder(lend, async () => undefined)
  }

  async transaction<T>(work: (unit: Unit) => Promise<T>): Promise<T> {
    this.#failure = undefined
    this.#isActive = true
    void this.#query('begin', [])
    try {
      const answer = await work({ db: this.#db, send: (statement) => this.#send(statement) })
      this.#isActive = false
      if (this.#open > 0) throw new Error('a statement of a transaction was not waited for')
      const { command } = await this.#query('commit', [])
      this.#throwFailure()
      // PostgreSQL replies to the COMMIT of a failed transaction with ROLLBACK.
      if (command !== 'COMMIT') throw new Error(`the transaction ended with ${command}`)
      return answer
    } catch (error) {
      await this.#rollBack()
      this.#throwFailure()
      throw error
    }
  }

  close(): Promise<void> {
    return this.#client.end()
  }

  /** Sends the statements of one turn of the event loop with one write: each write wakes the database. */
  #gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    this.#socket.cork()
    process.nextTick(() => {
      this.#isGathering = false
      this.#socket.uncork()
    })
  }

  async #rollBack(): Promise<void> {
    const failure = this.#failure
    this.#isActive = false
    try {
      await this.#query('rollback', [])
    } catch {
      // The connection is unusable: closing it rolls back. The first error is the one to report.
      this.isBroken = true
    }
    this.#failure = failure
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  #send<R>(statement: RawBuilder<R>): Promise<R[]> {
    const { sql: text, parameters } = statement.compile(this.#db)
    return kept(this.#query(text, parameters).then(({ rows }) => rows as R[]))
  }

  #query(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    this.#gather()
    return kept(
      this.#client.query(statementOf(text, values)).catch((error: unknown) => {
        this.#failure ??= { error }
        throw error
      }),
    )
  }
}

/** A promise that need not be awaited: the transaction itself checks every failure. */
export function kept<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}
