import { type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import { int2Array, int4Array, jsonbArray, textArray } from '../db/arrays.ts'
import { type DatabaseAddress, type Db, type Executor, openConnection } from '../db/index.ts'
import { OvertakenError } from '../db/passing.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { Consumer, type ConsumerDeclaration } from './consumer.ts'
import { isBefore } from './cursor.ts'
import {
  consumersToRetry,
  deleteOldParked,
  discardParked,
  markRetry,
  type ParkedName,
  readRetries,
} from './parked.store.ts'
import { sliceOf } from './slices.ts'
import {
  deleteDone,
  findUnread,
  isAnyStored,
  lowestCursor,
  noteHandled,
  readStart,
  rescueAfterRestore,
} from './store.ts'
import { checkPayload, type NewEvent, type Topic } from './topic.ts'

export type { ConsumerDeclaration } from './consumer.ts'
export { sliceCount } from './slices.ts'
export type { EventOf, NewEvent, Topic } from './topic.ts'

export interface EventsOptions {
  db: Db
  address: DatabaseAddress
  log: Logger
  metrics: Metrics
  /** validates payloads on write, for tests and development; they are always validated on read */
  checksWrites?: boolean
}

const channel = 'leitstand_outbox'
const retryChannel = 'leitstand_outbox_retry'
/** Parked events of a consumer that are retried at a time. */
const retriesMax = 100
/** Polling interval in case no notification arrives (a lost connection, another node). */
const pollMs = 1000
/**
 * How long another process may have slices that are assigned to this one, before this one begins them again: by then it has
 * heard if they are no longer its own.
 */
const overtakenMaxMs = 3_000
/** How often events that every consumer has handled are deleted. */
const cleanMs = 10_000
/** Held by the one process that dispatches all events, or shared by the nodes that have slices of them. */
const leadLock = 7_211_003

/** The events of each database, by what its query builder shares with the transactions it begins. */
const known = new WeakMap<object, Events>()

/**
 * The events of the database that a transaction belongs to, for functions that have only the transaction.
 * @throws Error for databases without events
 */
export function eventsOf(tx: Executor): Events {
  const events = known.get(tx.getExecutor().adapter)
  if (events === undefined) throw new Error('the transaction belongs to no database with events')
  return events
}

/**
 * Events through an outbox: appended in the transaction of the change, handled after its commit.
 *
 * Every consumer has its own cursor, so a slow or failing consumer delays only itself; after a crash the
 * events behind its cursor are replayed. A consumer gets events in the order of their transactions and only
 * when no older transaction is still open, so that no event can appear behind the cursor.
 */
export class Events implements AsyncDisposable {
  readonly #db: Db
  readonly #address: DatabaseAddress
  readonly #log: Logger
  readonly #checksWrites: boolean
  readonly #consumers: Consumer[] = []
  /** topics with a consumer */
  readonly #wanted = new Set<string>()
  readonly #handled
  readonly #parked
  #listener: pg.Client | undefined
  #timers: NodeJS.Timeout[] = []
  #leads = false
  #isKeepingUp = false
  #started = false
  /** null: this process dispatches everything or nothing; otherwise the slices it is to have */
  #assigned: Set<number> | null = null
  /** the slices that its consumers handle */
  #slices: ReadonlySet<number> = new Set()
  /** whether they do so now: not after a lost connection */
  #isArranged = false
  #losses = 0
  /** since when another process has slices that are assigned to this one, in ms of one clock; null: none has */
  #overtakenMs: number | null = null
  #arranging: Promise<void> = Promise.resolve()
  readonly #followers: (() => Promise<void>)[] = []

  constructor({ db, address, log, metrics, checksWrites = false }: EventsOptions) {
    this.#db = db
    this.adopt(db)
    this.#address = address
    this.#log = log
    this.#checksWrites = checksWrites
    this.#handled = metrics.counter('events_handled_total', 'Events handled', ['consumer'])
    this.#parked = metrics.counter('events_parked_total', 'Events given up after several attempts', [
      'consumer',
    ])
  }

  /** Lets `eventsOf` find these events for transactions of another query builder of the same database. */
  adopt(db: Db): void {
    known.set(db.getExecutor().adapter, this)
  }

  /** Whether this process dispatches events. */
  get isLeading(): boolean {
    return this.#leads
  }

  /**
   * Whether the events of an account are this process's to dispatch, also while it cannot because its connection is lost.
   * @param accountId null: those of the whole platform
   */
  owns(accountId: number | null): boolean {
    return this.#assigned === null || this.#slices.has(sliceOf(accountId ?? 0))
  }

  /** Whether the events of all accounts are. */
  get ownsAll(): boolean {
    return this.#assigned === null
  }

  /**
   * Calls this when the accounts whose events are dispatched here have changed. Others get an account only once it
   * has resolved.
   */
  onMoved(listener: () => Promise<void>): void {
    this.#followers.push(listener)
  }

  /** Age of the oldest event that a consumer has read and not handled, in ms; 0 if there is none. */
  get lateMs(): number {
    return Math.max(0, ...this.#consumers.map((consumer) => consumer.lateMs))
  }

  /** Whether the topic has a consumer. Events without one are not written, as they would never be read. */
  isWanted({ name }: Topic): boolean {
    return this.#wanted.has(name)
  }

  /** Appends an event; it is dispatched if and only if the transaction commits. */
  async append(tx: Executor, event: NewEvent): Promise<void> {
    await this.appendAll(tx, [event])
  }

  /** Appends several events in order. */
  async appendAll(tx: Executor, events: readonly NewEvent[]): Promise<void> {
    for (const statement of this.appending(events)) await statement.execute(tx)
  }

  /** The statements that append events in order, for transactions that send the statements themselves. */
  appending(events: readonly NewEvent[]): RawBuilder<unknown>[] {
    if (this.#checksWrites) for (const event of events) checkPayload(event)
    const wanted = events.filter(({ topic }) => this.isWanted(topic))
    if (wanted.length === 0) return []
    const topics = textArray(wanted.map(({ topic }) => topic.name))
    const versions = int2Array(wanted.map(({ topic }) => topic.version))
    const accounts = int4Array(wanted.map(({ accountId }) => accountId))
    const payloads = jsonbArray(wanted.map(({ payload }) => JSON.stringify(payload)))
    return [
      sql`
        /* prepared: events.append */
        with appended as (
          insert into outbox (topic, version, account_id, payload)
          select topic, version, account_id, payload
          from unnest(${topics}::text[], ${versions}::int2[], ${accounts}::int4[], ${payloads}::jsonb[])
            as e (topic, version, account_id, payload))
        select pg_notify(${channel}, ${[...new Set(wanted.map(({ topic }) => topic.name))].join(' ')})`,
    ]
  }

  /** Registers a consumer before `start`. */
  consume<T extends Topic>(declaration: ConsumerDeclaration<T>): void {
    const { name } = declaration
    if (this.#started) throw new Error(`consumer ${name} registered after the start`)
    if (this.#consumers.some((consumer) => consumer.name === name)) throw new Error(`consumer ${name} exists`)
    for (const topic of declaration.topics) this.#wanted.add(topic.name)
    const consumer = new Consumer(declaration, {
      db: this.#db,
      log: this.#log.child({ consumer: name }),
      onHandled: (count) => this.#handled.inc({ consumer: name }, count),
      onParked: () => this.#parked.inc({ consumer: name }),
    })
    this.#consumers.push(consumer as unknown as Consumer)
  }

  /**
   * Starts dispatching, beginning with events left by an earlier process.
   * @param options `isDivided`: several nodes dispatch the slices that `take` gives them; otherwise one of several
   * processes dispatches everything
   */
  async start({ isDivided = false } = {}): Promise<void> {
    this.#started = true
    if (isDivided) this.#assigned = new Set()
    await rescueAfterRestore(this.#db)
    await this.#listen()
    await this.#lead()
    this.#timers = [
      setInterval(() => void this.#keepUp(), pollMs),
      setInterval(() => void this.clean(), cleanMs),
    ]
    this.#wake()
  }

  /** Dispatches the events of a slice, too. */
  async take(slice: number): Promise<void> {
    this.#assigned?.add(slice)
    await this.#arrange()
  }

  /** Leaves a slice to others; nothing of it is handled here once this resolves. */
  async leave(slice: number): Promise<void> {
    this.#assigned?.delete(slice)
    await this.#arrange()
  }

  /**
   * Makes sure, in the transaction of a consumer's effects, that no other node handles its events by now: this process
   * may have been paused.
   * @throws OvertakenError
   */
  async requireLead(tx: Executor, consumer: string): Promise<void> {
    if (this.#assigned === null) return
    const found = this.#consumers.find(({ name }) => name === consumer)
    if (found === undefined || (await found.isBegun(tx))) return
    this.#overtakenMs ??= performance.now()
    throw new OvertakenError(`events of ${consumer} moved to another process`)
  }

  /**
   * Notices slices that another process has begun. One that was paused begins them when it goes on, and leaves them as soon
   * as it hears that they are not its own; nobody would handle them then.
   */
  async #notice(): Promise<void> {
    if (this.#assigned === null || !this.#isArranged) return
    for (const consumer of this.#consumers)
      if (!(await consumer.isBegun(this.#db))) this.#overtakenMs ??= performance.now()
  }

  /** Records events as handled under a name, for effects that must happen once. @returns those not recorded before */
  noteHandled(tx: Executor, name: string, eventIds: readonly number[]): Promise<Set<number>> {
    return noteHandled(tx, name, eventIds)
  }

  /** Resolves when everything committed so far is handled; for tests and for a graceful stop. */
  async drain(): Promise<void> {
    await this.#retryParked()
    while (this.#leads) {
      await Promise.all(this.#consumers.map((consumer) => consumer.rested()))
      const left = await this.#withRest()
      if (left.length === 0) return
      await Promise.all(left.map((consumer) => consumer.settle()))
    }
  }

  /** Consumers that have events to handle or to read. One question for all of them: most have none. */
  async #withRest(): Promise<Consumer[]> {
    const active = this.#consumers.filter((consumer) => !consumer.isStopped)
    // What one of them handles during the question may add events that the question does not see.
    const busy = active.filter((consumer) => consumer.isBusy)
    if (busy.length > 0) return busy
    const unread = await findUnread(
      this.#db,
      active.map(({ reading }) => reading),
    )
    return active.filter((consumer, place) => consumer.isBusy || unread.has(place))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await Promise.all(this.#consumers.map((consumer) => consumer.stop()))
    const listener = this.#listener
    this.#listener = undefined
    await listener?.end()
  }

  #wake(): void {
    if (!this.#leads) return
    for (const consumer of this.#consumers) consumer.wake()
  }

  /** @param topics names of the topics of committed events, separated by spaces */
  #wakeFor(topics: string): void {
    if (!this.#leads) return
    const names = topics.split(' ')
    for (const consumer of this.#consumers) if (consumer.isFor(names)) consumer.wakeSoon()
  }

  /** Deletes events that every consumer has handled; also runs every ten seconds. */
  async clean(): Promise<void> {
    if (!this.#leads) return
    try {
      await this.#notice()
      await this.#deleteDone()
      await deleteOldParked(this.#db)
      await this.#retryParked()
    } catch (error) {
      this.#log.warn({ err: error }, 'handled events could not be deleted; tried again later')
    }
  }

  async #deleteDone(): Promise<void> {
    const names = this.#consumers.map(({ name }) => name)
    if (this.#assigned === null) {
      const [first, ...others] = this.#consumers.map(({ cursor }) => cursor)
      const lowest = others.reduce((low, cursor) => (low && isBefore(cursor, low) ? cursor : low), first)
      await deleteDone(this.#db, names, lowest)
      return
    }
    // How far other nodes have come is known from the database only.
    if (!(await isAnyStored(this.#db))) return
    for (const consumer of this.#consumers) await consumer.note()
    if (this.#slices.has(0)) await deleteDone(this.#db, names, await lowestCursor(this.#db, names))
  }

  /** Requests a retry of parked events, after the commit. @returns those that are parked */
  async requestRetry(tx: Executor, parkedIds: readonly number[]): Promise<ParkedName[]> {
    const found = await markRetry(tx, parkedIds)
    await sql`select pg_notify(${retryChannel}, '')`.execute(tx)
    return found
  }

  /** Deletes parked events. @returns those that were parked */
  discardParked(tx: Executor, parkedIds: readonly number[]): Promise<ParkedName[]> {
    return discardParked(tx, parkedIds)
  }

  /** Retries parked events where requested. */
  async #retryParked(): Promise<void> {
    if (!this.#leads) return
    try {
      const wanted = await consumersToRetry(this.#db)
      for (const consumer of this.#consumers) {
        if (!wanted.has(consumer.name)) continue
        const parked = await readRetries(this.#db, consumer.name, retriesMax)
        consumer.offer(parked.filter(({ event }) => this.owns(event.accountId)))
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'parked events could not be read; tried again later')
    }
  }

  /**
   * Opens the connection that listens for events and, while it is open, holds the lead over other processes.
   */
  async #listen(): Promise<void> {
    const client = await openConnection(this.#address, 'leitstand events')
    client.on('notification', ({ channel: heard, payload }) => {
      if (heard === retryChannel) void this.#retryParked()
      else this.#wakeFor(payload ?? '')
    })
    client.on('error', (error) =>
      this.#log.warn({ err: error }, 'the connection that waits for events broke'),
    )
    client.on('end', () => {
      if (this.#listener === client) this.#lose()
    })
    this.#listener = client
    try {
      await client.query(`listen ${channel}; listen ${retryChannel}`)
    } catch (error) {
      await client.end()
      throw error
    }
  }

  /**
   * Reconnects after a lost connection, takes the lead if it is free, and polls for events. One run at a
   * time: a second connection would leak the first, which would hold the lead's lock so that no process could
   * take it.
   */
  async #keepUp(): Promise<void> {
    if (this.#isKeepingUp) return
    this.#isKeepingUp = true
    try {
      if (!this.#listener) await this.#listen()
      if (!this.#leads) await this.#lead()
      // An earlier attempt may have failed, or another process may have begun what is assigned to this one.
      else if (this.#assigned !== null) {
        const overtakenMs = this.#overtakenMs
        if (overtakenMs !== null && performance.now() - overtakenMs > overtakenMaxMs) this.#isArranged = false
        await this.#arrange()
      }
      this.#wake()
    } catch (error) {
      this.#log.warn({ err: error }, 'waiting for events is interrupted; tried again in a second')
    } finally {
      this.#isKeepingUp = false
    }
  }

  async #lead(): Promise<void> {
    const isDivided = this.#assigned !== null
    const client = this.#listener
    const lock = isDivided ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock'
    const { rows } = (await client?.query<{ leads: boolean }>(`select ${lock}($1) as leads`, [leadLock])) ?? {
      rows: [],
    }
    if (!rows[0]?.leads) return
    if (!isDivided)
      for (const consumer of this.#consumers) await consumer.resume(() => readStart(this.#db, consumer.name))
    // The connection may have been lost in the meantime, and the lock with it.
    if (this.#listener !== client) {
      this.#lose()
      return
    }
    this.#leads = true
    if (isDivided) await this.#arrange()
  }

  /** Makes the consumers handle the assigned slices; changes that wait for another one are made together. */
  #arrange(): Promise<void> {
    const arranging = this.#arranging.then(() => this.#rearrange())
    this.#arranging = arranging.catch(() => undefined)
    return arranging
  }

  async #rearrange(): Promise<void> {
    const assigned = this.#assigned
    if (assigned === null) return
    const slices = new Set(this.#leads ? assigned : [])
    const isSame = slices.size === this.#slices.size && [...slices].every((slice) => this.#slices.has(slice))
    if (this.#leads && isSame && this.#isArranged) return
    this.#isArranged = false
    this.#overtakenMs = null
    await Promise.all(this.#consumers.map((consumer) => consumer.release()))
    this.#slices = slices
    const losses = this.#losses
    try {
      for (const listener of this.#followers) await listener()
      for (const consumer of slices.size === 0 ? [] : this.#consumers)
        await consumer.resume(() => readStart(this.#db, consumer.name, [...slices]))
      // The connection may have been lost in the meantime, and back again.
      this.#isArranged = losses === this.#losses
    } finally {
      if (!this.#isArranged) for (const consumer of this.#consumers) consumer.halt()
    }
    this.#wake()
  }

  /** The connection is gone, and with it the lead. */
  #lose(): void {
    this.#leads = false
    this.#listener = undefined
    this.#losses++
    this.#isArranged = false
    for (const consumer of this.#consumers) consumer.halt()
  }
}
