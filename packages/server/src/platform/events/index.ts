import { type Selectable, sql } from 'kysely'
import type pg from 'pg'
import type { DatabaseAddress, Db, Executor } from '../db/index.ts'
import { jsonb, openConnection } from '../db/index.ts'
import type { Outbox } from '../db/types.gen.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { Consumer, type Handler } from './consumer.ts'
import { deleteDone, readCursor, rescueAfterRestore } from './store.ts'

/** An event as its consumers see it. The same `id` may come twice: consumers are idempotent. */
export interface OutboxEvent {
  id: number
  topic: string
  accountId: number | null
  payload: Selectable<Outbox>['payload']
  at: Date
}

export interface NewEvent {
  /** noun.verb in the past, e.g. `values.stored` */
  topic: string
  accountId: number | null
  /** JSON; each topic documents its shape beside the function that appends it */
  payload: unknown
}

const channel = 'leitstand_outbox'
/** Without a notification (a lost connection, another node) events are looked for this often. */
const pollMs = 1000
/** Events every consumer has handled are deleted this often. */
const cleanMs = 10_000
/** Held by the one process that dispatches; several processes may share a database. */
const leadLock = 7_211_003

/**
 * Events through an outbox: appended in the transaction of the change, handled after its commit.
 *
 * Every consumer has a cursor of its own. A slow or failing consumer holds up only itself; a crash replays what its
 * cursor has not passed. A consumer gets events in the order of their transactions and only when no older transaction
 * is still open, so that nothing can appear behind the cursor.
 */
export class Events implements AsyncDisposable {
  readonly #db: Db
  readonly #address: DatabaseAddress
  readonly #log: Logger
  readonly #consumers: Consumer[] = []
  readonly #handled
  readonly #parked
  #listener: pg.Client | undefined
  #timers: NodeJS.Timeout[] = []
  #leads = false
  #started = false

  constructor(db: Db, address: DatabaseAddress, log: Logger, metrics: Metrics) {
    this.#db = db
    this.#address = address
    this.#log = log
    this.#handled = metrics.counter('events_handled_total', 'Events handled', ['consumer'])
    this.#parked = metrics.counter('events_parked_total', 'Events given up after several attempts', [
      'consumer',
    ])
  }

  /** Appends an event; it is dispatched when and only when the transaction commits. */
  async append(tx: Executor, event: NewEvent): Promise<void> {
    await this.appendAll(tx, [event])
  }

  /** Appends several events in their order. */
  async appendAll(tx: Executor, events: readonly NewEvent[]): Promise<void> {
    if (events.length === 0) return
    const rows = events.map(({ topic, accountId, payload }) => ({
      topic,
      account_id: accountId,
      payload: jsonb(payload) as never,
    }))
    await tx.insertInto('outbox').values(rows).execute()
    await sql`select pg_notify(${channel}, '')`.execute(tx)
  }

  /**
   * Registers a consumer before `start`.
   * @param topics the topics it wants
   * @param name stable for ever: the cursor is stored under it
   * @param handler gets up to 500 events in order; when it throws, the same events come again
   */
  on(topics: string | readonly string[], name: string, handler: Handler): void {
    if (this.#started) throw new Error(`consumer ${name} registered after the start`)
    if (this.#consumers.some((consumer) => consumer.name === name)) throw new Error(`consumer ${name} exists`)
    const consumer = new Consumer({
      name,
      topics: typeof topics === 'string' ? [topics] : topics,
      handler,
      db: this.#db,
      log: this.#log.child({ consumer: name }),
      onHandled: (count) => this.#handled.inc({ consumer: name }, count),
      onParked: () => this.#parked.inc({ consumer: name }),
    })
    this.#consumers.push(consumer)
  }

  /** Begins to dispatch, first what an earlier process has left. */
  async start(): Promise<void> {
    this.#started = true
    await rescueAfterRestore(this.#db)
    await this.#listen()
    await this.#lead()
    this.#timers = [
      setInterval(() => void this.#keepUp(), pollMs),
      setInterval(() => void this.clean(), cleanMs),
    ]
    this.#wake()
  }

  /** Handles everything that is committed by now and resolves then; for tests and for a graceful stop. */
  async drain(): Promise<void> {
    let rest = true
    while (rest && this.#leads) {
      await Promise.all(this.#consumers.map((consumer) => consumer.settle()))
      const rests = await Promise.all(this.#consumers.map((consumer) => consumer.hasRest()))
      rest = rests.some(Boolean)
    }
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

  /** Deletes what every consumer has handled; happens by itself every ten seconds. */
  async clean(): Promise<void> {
    if (!this.#leads) return
    try {
      await deleteDone(
        this.#db,
        this.#consumers.map(({ cursor }) => cursor),
      )
    } catch (error) {
      this.#log.warn({ err: error }, 'handled events could not be deleted; tried again later')
    }
  }

  /** Opens the connection that waits for events and, while it lives, holds the lead over other processes. */
  async #listen(): Promise<void> {
    const client = await openConnection(this.#address, 'leitstand events')
    client.on('notification', () => this.#wake())
    client.on('error', (error) =>
      this.#log.warn({ err: error }, 'the connection that waits for events broke'),
    )
    client.on('end', () => {
      this.#leads = false
      this.#listener = undefined
    })
    await client.query(`listen ${channel}`)
    this.#listener = client
  }

  /** Connects again after a loss, takes the lead when nobody has it, and looks for events. */
  async #keepUp(): Promise<void> {
    try {
      if (!this.#listener) await this.#listen()
      if (!this.#leads) await this.#lead()
      this.#wake()
    } catch (error) {
      this.#log.warn({ err: error }, 'waiting for events is interrupted; tried again in a second')
    }
  }

  async #lead(): Promise<void> {
    const { rows } = (await this.#listener?.query<{ leads: boolean }>(
      'select pg_try_advisory_lock($1) as leads',
      [leadLock],
    )) ?? { rows: [] }
    if (!rows[0]?.leads) return
    for (const consumer of this.#consumers) consumer.cursor = await readCursor(this.#db, consumer.name)
    this.#leads = true
  }
}
