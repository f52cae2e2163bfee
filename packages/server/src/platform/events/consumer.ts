import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from '../db/index.ts'
import { isPassing } from '../db/passing.ts'
import { messageOf } from '../errors.ts'
import type { Logger } from '../log.ts'
import { type Cursor, park, readBatch, writeCursor } from './store.ts'
import type { StoredEvent } from './topic.ts'

type Handler = (events: readonly StoredEvent[]) => Promise<void>

/** Events of one call of a handler. */
const batchMax = 500
/** Attempts with a batch before its events are tried one by one. */
const batchAttemptsMax = 5
/** Attempts with a single event before it is put aside. */
const eventAttemptsMax = 3
const backOffMs = [100, 200, 400, 800]
const backOffMsMax = 1600
/** Wait for an older open transaction to end. */
const pendingMs = 20

interface ConsumerOptions {
  name: string
  topics: readonly string[]
  handler: Handler
  db: Db
  log: Logger
  onHandled(count: number): void
  onParked(): void
}

/**
 * One consumer's way through the outbox. States: halted → idle → running → idle; halted again when the lead is lost, and
 * stopped for good. Only one run is under way at a time; a wake-up during a run makes it look once more.
 */
export class Consumer {
  readonly name: string
  /** Everything up to here is handled; written to the database after every batch with events. */
  cursor: Cursor = { xid: '0', id: 0 }
  readonly #options: ConsumerOptions
  readonly #abort = new AbortController()
  #running: Promise<void> | undefined
  #again = false
  #halted = true

  constructor(options: ConsumerOptions) {
    this.name = options.name
    this.#options = options
  }

  /** Ends the run under way after the event it is at: somebody else may have the lead now. */
  halt(): void {
    this.#halted = true
  }

  /**
   * Goes on from where the database says it was. What this process remembers does not count: a crash of the database
   * may have taken back transaction numbers that were seen and never written, and events to come will bear them again.
   */
  async resume(readCursor: () => Promise<Cursor>): Promise<void> {
    this.halt()
    await this.#running
    this.cursor = await readCursor()
    this.#halted = false
  }

  wake(): void {
    if (this.#isOver) return
    this.#again = true
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.#again) this.wake()
    })
  }

  /** Resolves when the present run, or a new one, has ended. */
  async settle(): Promise<void> {
    this.wake()
    await this.#running
  }

  /** Whether committed events of its topics are left. */
  async hasRest(): Promise<boolean> {
    if (this.#abort.signal.aborted) return false
    const { more, events } = await readBatch(this.#options.db, this.#options.topics, this.cursor, 1)
    return more || events.length > 0
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    await this.#running
  }

  get #isOver(): boolean {
    return this.#halted || this.#abort.signal.aborted
  }

  async #run(): Promise<void> {
    const { db, topics, log } = this.#options
    try {
      let more = true
      while (more && !this.#isOver) {
        this.#again = false
        const batch = await readBatch(db, topics, this.cursor, batchMax)
        if (this.#isOver) return
        if (batch.events.length > 0) {
          if (!(await this.#handle(batch.events))) return
          await writeCursor(db, this.name, batch.next)
        } else if (batch.more) {
          await this.#pause(pendingMs)
        }
        this.cursor = batch.next
        more = batch.more || this.#again
      }
    } catch (error) {
      if (this.#abort.signal.aborted) return
      // The database is away: nothing is lost, the poll tries again.
      this.#again = false
      log.warn({ err: error }, 'events could not be read')
    }
  }

  /** True when every event is handled or put aside, false when the consumer was stopped before. */
  async #handle(events: readonly StoredEvent[]): Promise<boolean> {
    const attempts = events.length > 1 ? batchAttemptsMax : eventAttemptsMax
    const outcome = await this.#try(events, attempts)
    if (outcome.handled) return true
    if (this.#isOver) return false
    const [event] = events
    if (events.length > 1 || !event) {
      // One of them spoils the batch: find it, and keep the order for the others.
      for (const one of events) if (!(await this.#handle([one]))) return false
      return true
    }
    this.#options.log.error({ eventId: event.id, topic: event.topic, err: outcome.error }, 'event put aside')
    await park(this.#options.db, this.name, event, messageOf(outcome.error), attempts)
    this.#options.onParked()
    return true
  }

  async #try(
    events: readonly StoredEvent[],
    attempts: number,
  ): Promise<{ handled: boolean; error?: unknown }> {
    let last: unknown
    // A full disk, a database or sandbox that is away says nothing about the events: those attempts do not count.
    for (let [tries, failures] = [1, 0]; failures < attempts && !this.#isOver; tries++) {
      try {
        await this.#options.handler(events)
        this.#options.onHandled(events.length)
        return { handled: true }
      } catch (error) {
        last = error
        if (!isPassing(error)) failures++
        this.#options.log.warn({ err: error, attempt: tries, events: events.length }, 'events failed')
        if (failures < attempts) await this.#pause(backOffMs[tries - 1] ?? backOffMsMax)
      }
    }
    return { handled: false, error: last }
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#abort.signal }).catch(() => undefined)
  }
}
