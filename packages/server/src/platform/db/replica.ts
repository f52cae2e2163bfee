import pg from 'pg'
import { AppError, messageOf, StartError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { CatchUp } from './catchUp.ts'
import {
  connectionSettings,
  type Database,
  type DatabaseAddress,
  type Lender,
  type Lent,
  openPool,
} from './index.ts'
import { isPassing } from './passing.ts'
import { positionOf } from './position.ts'
import { mayUseReplica, onReplica } from './reading.ts'
import { identify, requireReplica, SameServer } from './replicaIdentity.ts'
import { deleteOldWriters, noteWriter, readWriter } from './writers.ts'

const pollMs = 250
/** A replica that has not answered for so long is gone. */
const answerMs = 2_000
const cleanMs = 60_000

/** Why nothing is read from the replica. */
export type ReplicaState = 'used' | 'behind' | 'gone'

/** How operations choose where they read. */
export interface Reads {
  /**
   * Runs work that only reads, on the replica if it has everything that this caller has written, else on the primary. It is
   * run again on the primary if the replica fails.
   * @param key of the caller, see `callerKey`; undefined for callers that do not write
   */
  run<T>(key: string | undefined, work: () => Promise<T>): Promise<T>
  /** Notes that a caller has written, after the commit: later reads, in any process, see it. Never throws. */
  noteWrite(key: string | undefined): Promise<void>
  /** null: there is no replica */
  status(): { state: ReplicaState; lagMs: number | null } | null
}

/** Without a replica everything is read from the primary, at no cost. */
export const primaryOnly: Reads = {
  run: (_key, work) => work(),
  noteWrite: async () => undefined,
  status: () => null,
}

interface ReplicaOptions {
  address: DatabaseAddress
  /** a replica further behind is not used */
  lagMaxMs: number
  log: Logger
  metrics: Metrics
}

/**
 * A replica of the database that serves reads while it answers and is not too far behind.
 *
 * States: gone (does not answer, or is not a replica of this database) → behind (answers) → used → behind, gone.
 * Four times a second one connection asks how far it has come. The caller of an operation that writes is noted in the
 * primary together with its position, and reads from the primary until the replica has passed that.
 */
export class Replica implements Reads, AsyncDisposable {
  readonly #options: ReplicaOptions
  #lender: Lender
  readonly #clients = new Set<pg.PoolClient>()
  readonly #catchUp = new CatchUp()
  readonly #reads
  #primary: Pick<Database, 'query'> | undefined
  #probe: pg.Client | undefined
  #pageBytes = 0
  #state: ReplicaState = 'gone'
  #timer: NodeJS.Timeout | undefined
  #polling: Promise<void> = Promise.resolve()
  #cleanedMs = 0
  #stopped = false

  constructor(options: ReplicaOptions) {
    this.#options = options
    const { metrics } = options
    this.#lender = this.#open()
    this.#reads = metrics.counter('database_reads_total', 'Operations that may read from the replica', [
      'from',
    ])
    metrics.gauge('database_replica_used', '1 while the replica is read from', () =>
      this.#state === 'used' ? 1 : 0,
    )
    metrics.gauge(
      'database_replica_lag_seconds',
      'How far the replica is behind; NaN if it is not known',
      () => {
        const lagMs = this.#catchUp.lagMs(performance.now())
        return lagMs === null ? Number.NaN : lagMs / 1000
      },
    )
  }

  /** A connection to the replica for the current work; undefined if that must not or cannot read there. */
  lend(): Promise<Lent> | undefined {
    return mayUseReplica() && this.#state === 'used' ? this.#lender.lend() : undefined
  }

  /**
   * Begins to watch it. One that cannot be reached yet is used once it answers.
   * @throws StartError when it is not a replica of this database
   */
  async start(primary: Pick<Database, 'query'>): Promise<void> {
    this.#primary = primary
    try {
      await this.#poll()
    } catch (error) {
      if (!isPassing(error) && !(error instanceof SameServer)) {
        if (error instanceof StartError) throw error
        throw new StartError(
          `The read replica cannot be used: ${messageOf(error)}. Check DATABASE_READ_URL.`,
          {
            cause: error,
          },
        )
      }
      this.#turn('gone', messageOf(error))
    }
    this.#pollLater()
  }

  async run<T>(key: string | undefined, work: () => Promise<T>): Promise<T> {
    if (this.#state !== 'used' || !(await this.#hasWritesOf(key))) {
      this.#reads.inc({ from: 'primary' })
      return work()
    }
    try {
      const found = await onReplica(work)
      this.#reads.inc({ from: 'replica' })
      return found
    } catch (error) {
      if (!isFailure(error)) throw error
      this.#options.log.debug({ err: error }, 'a read failed on the replica and is repeated on the primary')
      this.#reads.inc({ from: 'primary' })
      return work()
    }
  }

  async noteWrite(key: string | undefined): Promise<void> {
    if (key === undefined || this.#primary === undefined) return
    try {
      await noteWriter(this.#primary, key)
    } catch (error) {
      // The reply must not fail, because the change is stored. This process reads from the primary until the replica is
      // past everything up to now.
      this.#catchUp.reset()
      this.#turn('behind', messageOf(error))
    }
  }

  status(): { state: ReplicaState; lagMs: number | null } {
    return { state: this.#state, lagMs: this.#catchUp.lagMs(performance.now()) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#polling
    await this.#probe?.end()
    await this.#lender.pool.end()
  }

  #open(): Lender {
    const { address, log } = this.#options
    // Reads that wait longer for a connection go to the primary.
    const lender = openPool(address, 'leitstand reads', log, { connectionTimeoutMillis: answerMs })
    lender.pool.on('connect', (client) => this.#clients.add(client))
    lender.pool.on('remove', (client) => this.#clients.delete(client))
    return lender
  }

  async #hasWritesOf(key: string | undefined): Promise<boolean> {
    if (key === undefined || this.#primary === undefined) return true
    const position = await readWriter(this.#primary, key)
    return position === null || this.#catchUp.has(positionOf(position, this.#pageBytes))
  }

  #pollLater(): void {
    if (this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#polling = this.#poll()
        .catch((error: unknown) => this.#lose(messageOf(error)))
        .then(() => this.#pollLater())
    }, pollMs)
  }

  /** Asks both how far they are. @throws StartError when it is not a replica of the primary; errors of the connections */
  async #poll(): Promise<void> {
    const primary = this.#primary
    if (primary === undefined) return
    this.#probe ??= await this.#connect(primary)
    const nowMs = performance.now()
    const { rows: ahead } = await primary.query(
      `select (pg_current_wal_insert_lsn() - '0/0')::text as position`,
    )
    const { rows: behind } = await this.#probe.query(
      `select pg_is_in_recovery() as recovers, (pg_last_wal_replay_lsn() - '0/0')::text as position`,
    )
    if (behind[0].recovers !== true) throw new StartError('it is no longer a replica')
    this.#catchUp.notePrimary(positionOf(ahead[0].position, this.#pageBytes), nowMs)
    this.#catchUp.noteReplica(positionOf(behind[0].position ?? '0', this.#pageBytes))
    const lagMs = this.#catchUp.lagMs(performance.now())
    if (lagMs !== null && lagMs <= this.#options.lagMaxMs) this.#turn('used', '')
    else this.#turn('behind', `more than ${this.#options.lagMaxMs / 1000} s behind`)
    await this.#clean(primary)
  }

  async #connect(primary: Pick<Database, 'query'>): Promise<pg.Client> {
    const client = new pg.Client({
      ...connectionSettings(this.#options.address, 'leitstand replica'),
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
    })
    client.on('error', (error) => this.#lose(messageOf(error)))
    await client.connect()
    try {
      const identity = await identify((text) => client.query(text))
      const own = await identify((text) => primary.query(text))
      requireReplica(own, identity)
      this.#pageBytes = own.pageBytes
    } catch (error) {
      await client.end()
      throw error
    }
    return client
  }

  /** It does not answer: reads in progress fail now, and are repeated on the primary. */
  #lose(reason: string): void {
    if (this.#stopped) return
    const probe = this.#probe
    this.#probe = undefined
    this.#catchUp.reset()
    this.#turn('gone', reason)
    // `end` of a connection with an open statement does not wait for it.
    void probe?.end()
    if (this.#clients.size === 0) return
    const { pool } = this.#lender
    this.#lender = this.#open()
    for (const client of this.#clients) void client.end()
    this.#clients.clear()
    void pool.end()
  }

  #turn(state: ReplicaState, reason: string): void {
    const { log } = this.#options
    if (state === 'used' && this.#state !== 'used') log.info('reads go to the replica')
    // Once for each reason.
    if (state !== 'used' && state !== this.#state)
      log.warn({ reason }, 'the replica is not used: all reads go to the primary')
    this.#state = state
  }

  /** Deletes notes of writes that every replica in use has passed long ago. */
  async #clean(primary: Pick<Database, 'query'>): Promise<void> {
    const nowMs = performance.now()
    if (nowMs - this.#cleanedMs < cleanMs) return
    this.#cleanedMs = nowMs
    await deleteOldWriters(primary)
  }
}

/** The message of a statement that a replica cancelled because it would have delayed what it replays. */
const conflict = /conflict with recovery/

/** Whether an error says nothing about the work, only about the connection or the replica. */
function isFailure(error: unknown): boolean {
  if (error instanceof AppError) return false
  return isPassing(error) || (error instanceof pg.DatabaseError && conflict.test(error.message))
}
