import { setTimeout as delay } from 'node:timers/promises'
import type { Db, Executor } from '../db/index.ts'
import { isPassing } from '../db/passing.ts'
import { messageOf } from '../errors.ts'
import type { Logger } from '../log.ts'
import { Throttle } from '../throttle.ts'
import { Backlog, type Batch, batchMax, type Item } from './backlog.ts'
import { type Cursor, isBefore } from './cursor.ts'
import { type ParkedEvent, parkAgain, parkFirst, removeParked } from './parked.store.ts'
import { Progress, type Saved } from './progress.ts'
import { sliceOf, wholeSlice } from './slices.ts'
import {
  isBegun,
  noteHandled,
  type RawEvent,
  type Reading,
  readBatch,
  readLane,
  saveProgress,
} from './store.ts'
import { type EventOf, readEvent, type StoredEvent, type Topic } from './topic.ts'

/**
 * Events in memory: of accounts that keep up, of those in lanes, and of one account before it gets a lane.
 */
const eventsMax = { main: 2_000, lanes: 4_000, account: 1_000 } as const
/** Stored size of events in memory. */
const bytesMax = 8_000_000
/** Events read after an unhandled one before its account gets a lane. */
const heldMax = 5_000
const sideBySideDefault = 4
/** Delay while waiting for an older open transaction to end. */
const pendingMs = 20
/**
 * Minimum time between two reads that commits cause. Reading costs the same for one event as for a hundred, and while
 * many small batches are stored, what they cause would cost more than they do.
 */
const paceMs = 40
/** Delay before the next attempt to store a parked event. */
const parkAgainMs = 1_000

interface Declaration<T extends Topic> {
  /** must never change: the cursor is stored under it */
  name: string
  topics: readonly T[]
  /** concurrent calls, each with different partitions; default 4 */
  sideBySide?: number
  /** maximum events of a call, which then has one partition only: a slow one delays no other, and they take turns */
  apart?: number
  /** within an account events with the same key are handled in order and never concurrently */
  partition(event: EventOf<T>): number | string
  /** Called before events are handled from the cursor in the database: what is in memory about earlier ones may be outdated. */
  resumed?(): void
}

/**
 * How a consumer receives its events: up to 500 per call, those of a partition in order.
 *
 * With `handle` it must be idempotent: when it throws, or the process crashes, the same events are delivered
 * again. With `handleOnce` the platform records in the same transaction which events are handled and skips
 * them afterwards; the function it returns is called after the commit, which a crash may skip.
 */
export type ConsumerDeclaration<T extends Topic> = Declaration<T> &
  (
    | { handle(events: readonly EventOf<T>[]): Promise<void>; handleOnce?: never }
    | {
        handleOnce(events: readonly EventOf<T>[], tx: Executor): Promise<(() => void) | undefined>
        handle?: never
      }
  )

interface Tools {
  db: Db
  log: Logger
  onHandled(count: number): void
  onParked(): void
}

/** The stored state of a consumer when it starts. */
export interface Start extends Pick<Saved, 'main' | 'lanes'> {
  begun: readonly Begun[]
}

/** A slice of events that a process has begun to handle. */
export interface Begun {
  slice: number
  /** counts who has begun it: with another number in the database, it is somebody else's */
  epoch: number
  /** everything up to here was handled */
  cursor: Cursor
}

/**
 * One consumer's progress through the outbox. States: halted → idle → running → idle; halted again when the
 * lead is lost, and finally stopped. Only one run is active at a time; a wake-up during a run makes it check
 * once more.
 */
export class Consumer<T extends Topic = Topic> {
  readonly name: string
  readonly #declaration: ConsumerDeclaration<T>
  readonly #topics: ReadonlyMap<string, T>
  readonly #tools: Tools
  readonly #abort = new AbortController()
  readonly #calls = new Set<Promise<void>>()
  #backlog: Backlog
  #progress = new Progress({ main: { xid: '0', id: 0 }, lanes: [] })
  /** the cursor in the database */
  #saved: Cursor = { xid: '0', id: 0 }
  /** by slice */
  #begun: ReadonlyMap<number, Begun> = new Map()
  /** where the lanes of accounts began */
  #lanesBegun: ReadonlyMap<number, Cursor> = new Map()
  #bytes = 0
  #saving: Promise<void> | undefined
  #mustSave = false
  #running: Promise<void> | undefined
  /** the outbox may hold unread events */
  #more = false
  /** some of them wait for an older open transaction to end */
  #pending = false
  #halted = true
  readonly #pace = new Throttle(paceMs, () => this.#lookAgain())
  /** ends the run's wait */
  #nudge: () => void = () => undefined

  constructor(declaration: ConsumerDeclaration<T>, tools: Tools) {
    this.name = declaration.name
    this.#declaration = declaration
    this.#topics = new Map(declaration.topics.map((topic) => [topic.name, topic]))
    this.#tools = tools
    this.#backlog = newBacklog(declaration)
  }

  /** Everything up to here is handled, except for accounts that have a lane in the database. */
  get cursor(): Cursor {
    return this.#progress.isWhole ? this.#progress.read : this.#saved
  }

  /** Age of the oldest event it has read and not handled, in ms; 0 if there is none. */
  get lateMs(): number {
    const oldest = this.#backlog.oldestMs
    return oldest === null ? 0 : Math.max(0, Date.now() - oldest)
  }

  /** Ends the run after the calls in progress: another process may have the lead now. */
  halt(): void {
    this.#halted = true
    this.#nudge()
  }

  /** Handles nothing until it is resumed; resolves when the calls in progress have ended. */
  async release(): Promise<void> {
    this.halt()
    await this.#running
    this.#begun = new Map()
    this.#backlog = newBacklog(this.#declaration)
    this.#bytes = 0
    this.#mustSave = false
  }

  /** Whether no other process has begun to handle its events since. */
  isBegun(db: Executor): Promise<boolean> {
    return isBegun(db, this.name, [...this.#begun.values()])
  }

  /**
   * Continues from the cursor in the database. The state in memory is discarded: after a crash the database
   * may reuse transaction numbers that were seen but never written.
   */
  async resume(read: () => Promise<Start>): Promise<void> {
    await this.release()
    const { begun, main, lanes } = await read()
    this.#begun = new Map(begun.map((each) => [each.slice, each]))
    this.#lanesBegun = new Map(lanes.map(({ accountId, cursor }) => [accountId, cursor]))
    this.#progress = new Progress({ main, lanes }, farthestOf(begun.map(({ cursor }) => cursor)))
    this.#saved = main
    this.#declaration.resumed?.()
    this.#halted = false
  }

  /** Whether it reads events of one of these topics. */
  isFor(topics: readonly string[]): boolean {
    return topics.some((topic) => this.#topics.has(topic))
  }

  /** Reads at once. */
  wake(): void {
    this.#pace.now()
  }

  /** Reads at once, unless it has just read: then a moment later. */
  wakeSoon(): void {
    this.#pace.call()
  }

  #lookAgain(): void {
    if (this.#isOver) return
    this.#more = true
    this.#nudge()
    this.#start()
  }

  /** Retries parked events, which do not move the cursor. */
  offer(parked: readonly ParkedEvent[]): void {
    if (this.#isOver) return
    for (const { parkedId, event } of parked)
      if (!this.#backlog.hasParked(parkedId)) this.#take(event, null, parkedId)
    this.#nudge()
    this.#start()
  }

  /** Resolves when the current run, or a new one, has ended. */
  async settle(): Promise<void> {
    this.wake()
    await this.#running
  }

  /** Resolves when the current run has ended. */
  async rested(): Promise<void> {
    await this.#running
  }

  get isStopped(): boolean {
    return this.#abort.signal.aborted
  }

  /** Whether it has read events that are not handled. */
  get isBusy(): boolean {
    return !this.#backlog.isEmpty || !this.#progress.isWhole
  }

  get reading(): Reading {
    return { topics: [...this.#topics.keys()], cursor: this.#progress.read, slices: this.#slices }
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    this.#pace.stop()
    this.#nudge()
    await this.#running
  }

  /** null: all */
  get #slices(): number[] | null {
    return this.#begun.has(wholeSlice) ? null : [...this.#begun.keys()]
  }

  /** Whether an event is before the place where its slice began. */
  #wasHandled({ xid, id, accountId }: RawEvent): boolean {
    const account = accountId ?? 0
    const begun = this.#lanesBegun.get(account) ?? this.#begun.get(sliceOf(account))?.cursor
    return begun !== undefined && !isBefore(begun, { xid, id })
  }

  /** Stores how far it has read where nothing waits, so that events of others can be deleted. */
  async note(): Promise<void> {
    if (this.#isOver || !this.#progress.isWhole || !isBefore(this.#saved, this.#progress.read)) return
    await this.#saveSoon()
  }

  get #isOver(): boolean {
    return this.#halted || this.#abort.signal.aborted
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.#more && !this.#isOver) this.#start()
    })
  }

  async #run(): Promise<void> {
    try {
      while (!this.#isOver) {
        await this.#read()
        if (this.#isOver) break
        if (this.#progress.hasOver) await this.#saveSoon()
        this.#call()
        const mayRead = this.#more && !this.#pending && this.#hasRoom
        if (mayRead) continue
        if (this.#backlog.isEmpty && !this.#more && this.#progress.isWhole) break
        await this.#wait()
      }
    } catch (error) {
      // The database is unavailable: nothing is lost, the next poll retries.
      this.#more = false
      if (!this.#abort.signal.aborted) this.#tools.log.warn({ err: error }, 'events could not be read')
    }
    await Promise.all(this.#calls)
    await this.#saving
  }

  /** Waits until a call has ended, a wake-up arrives, or a poll or retry is due. */
  async #wait(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#nudge = resolve
    const now = performance.now()
    const next = this.#pending ? now + pendingMs : this.#backlog.nextTryMs(now)
    const timer = next === null ? undefined : setTimeout(resolve, Math.max(1, next - now))
    await promise
    clearTimeout(timer)
  }

  get #inLanes(): number {
    return this.#progress.laneAccounts.reduce((sum, account) => sum + this.#backlog.countOf(account), 0)
  }

  get #hasRoom(): boolean {
    return this.#bytes < bytesMax && this.#backlog.size - this.#inLanes < eventsMax.main
  }

  async #read(): Promise<void> {
    await this.#readLanes()
    this.#pending = false
    if (!this.#more || !this.#hasRoom || this.#isOver) return
    this.#more = false
    const { db } = this.#tools
    const { behind, read } = this.#progress
    const limits = { limit: batchMax, without: behind, slices: this.#slices }
    const batch = await readBatch(db, [...this.#topics.keys()], read, limits)
    if (this.#isOver) return
    this.#more ||= batch.more
    this.#pending = batch.more && batch.events.length === 0
    // The slices of a node may have come to different places.
    const places = batch.events
      .filter((event) => !this.#wasHandled(event))
      .map((event) => ({ event, place: placeOf(event) }))
    this.#progress.advance(
      batch.next,
      places.map(({ place }) => place),
    )
    for (const { event, place } of places) this.#take(event, place, null)
    for (const account of new Set(places.map(({ place }) => place.accountId)))
      if (this.#backlog.countOf(account) >= eventsMax.account) this.#progress.fallBehind(account)
    for (let first = this.#progress.held(heldMax); first; first = this.#progress.held(heldMax))
      this.#progress.fallBehind(first.accountId)
  }

  /** Reads the events of accounts that have fallen behind, up to the main cursor. */
  async #readLanes(): Promise<void> {
    for (const account of this.#progress.behind) {
      if (this.#isOver || this.#bytes >= bytesMax || this.#inLanes >= eventsMax.lanes) return
      if (this.#backlog.countOf(account) >= batchMax) continue
      const range = { from: this.#progress.laneRead(account), to: this.#progress.read }
      const found = await readLane(this.#tools.db, [...this.#topics.keys()], account, range, batchMax)
      if (this.#isOver) return
      const places = found.events.map((event) => ({ event, place: placeOf(event) }))
      this.#progress.advanceLane(
        account,
        found.next,
        places.map(({ place }) => place),
      )
      for (const { event, place } of places) this.#take(event, place, null)
    }
  }

  #take(raw: RawEvent, place: Item['place'], parkedId: number | null): void {
    const item: Item = {
      accountId: raw.accountId ?? 0,
      bytes: raw.size,
      ...this.#parse(raw),
      raw,
      place,
      parkedId,
    }
    this.#bytes += raw.size
    this.#backlog.add(item)
  }

  #parse(raw: StoredEvent): Pick<Item, 'partition' | 'event' | 'unreadable'> {
    try {
      const event = readEvent(this.#topics.get(raw.topic) as T, raw)
      return { partition: String(this.#declaration.partition(event)), event, unreadable: null }
    } catch (error) {
      return { partition: '', event: null, unreadable: { error } }
    }
  }

  #call(): void {
    for (let batch = this.#next(); batch; batch = this.#next()) {
      const call = this.#runCall(batch).finally(() => {
        this.#calls.delete(call)
        this.#nudge()
      })
      this.#calls.add(call)
    }
  }

  #next(): Batch | undefined {
    return this.#isOver ? undefined : this.#backlog.take(performance.now())
  }

  async #runCall(batch: Batch): Promise<void> {
    const { log, onHandled } = this.#tools
    const backlog = this.#backlog
    const started = performance.now()
    const { items } = batch
    const failure = await this.#deliver(items).then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    const now = performance.now()
    const tookMs = now - started
    if (failure === undefined) {
      backlog.finish(batch, tookMs, now)
      onHandled(items.length)
      await this.#done(items)
      return
    }
    const { error } = failure
    log.warn({ err: error, events: items.length }, 'events failed')
    if (isPassing(error)) {
      backlog.retry(batch, tookMs, now)
      return
    }
    const parked = backlog.fail(batch, tookMs, now)
    if (parked !== undefined) await this.#park(parked.item, error, parked.attempts)
  }

  /** Passes events to the handler. Unreadable events come in calls of their own. */
  async #deliver(items: readonly Item[]): Promise<void> {
    const unreadable = items[0]?.unreadable
    if (unreadable) throw unreadable.error
    const events = items.map(({ event }) => event as EventOf<T>)
    const { handle, handleOnce } = this.#declaration
    if (handle !== undefined) return handle(events)
    const after = await this.#tools.db.transaction().execute(async (tx) => {
      const ids = events.map(({ id }) => id)
      const fresh = await noteHandled(tx, this.name, ids)
      const left = events.filter(({ id }) => fresh.has(id))
      return left.length === 0 ? undefined : handleOnce(left, tx)
    })
    after?.()
  }

  /** Parks an event. It counts as not handled until the database has stored it. */
  async #park({ raw, parkedId, ...item }: Item, error: unknown, attempts: number): Promise<void> {
    const { db, log, onParked } = this.#tools
    const { id, topic } = raw
    log.error({ eventId: id, topic, err: error }, 'event parked')
    const reason = messageOf(error)
    for (;;) {
      try {
        if (parkedId === null) await parkFirst(db, this.name, raw, reason, attempts)
        else await parkAgain(db, parkedId, reason, attempts)
        break
      } catch (failure) {
        log.warn({ err: failure }, 'an event could not be parked; tried again soon')
        const { signal } = this.#abort
        await delay(parkAgainMs, undefined, { signal }).catch(() => undefined)
        if (this.#isOver) return
      }
    }
    onParked()
    await this.#settled([{ raw, parkedId, ...item }])
  }

  async #done(items: readonly Item[]): Promise<void> {
    const retried = items.flatMap(({ parkedId }) => parkedId ?? [])
    try {
      if (retried.length > 0) await removeParked(this.#tools.db, retried)
    } catch (error) {
      this.#tools.log.warn({ err: error }, 'parked events that were handled stay parked and are tried again')
    }
    await this.#settled(items)
  }

  /** Moves the cursor past events that are handled or parked. */
  async #settled(items: readonly Item[]): Promise<void> {
    for (const { place, bytes, parkedId } of items) {
      this.#bytes -= bytes
      if (place) place.isDone = true
      if (parkedId !== null) this.#backlog.forgetParked(parkedId)
    }
    await this.#saveSoon()
  }

  /** Saves the progress, after a save in progress if there is one. */
  async #saveSoon(): Promise<void> {
    this.#mustSave = true
    this.#saving ??= this.#save().finally(() => {
      this.#saving = undefined
    })
    await this.#saving
  }

  async #save(): Promise<void> {
    while (this.#mustSave) {
      this.#mustSave = false
      const saved = this.#progress.save()
      try {
        await saveProgress(this.#tools.db, this.name, [...this.#begun.values()], saved)
        this.#saved = saved.main
      } catch (error) {
        // Handled events that were not recorded are delivered again after a crash, or recorded with the next
        // events.
        this.#tools.log.warn({ err: error }, 'the progress of events could not be noted')
      }
    }
  }
}

function newBacklog({
  sideBySide = sideBySideDefault,
  apart = null,
}: {
  sideBySide?: number
  apart?: number | null
}) {
  return new Backlog(sideBySide, apart)
}

function farthestOf(cursors: readonly Cursor[]): Cursor {
  return cursors.reduce((far, cursor) => (isBefore(far, cursor) ? cursor : far), { xid: '0', id: 0 })
}

function placeOf({ xid, id, accountId }: RawEvent) {
  return { cursor: { xid, id }, accountId: accountId ?? 0, isDone: false }
}
