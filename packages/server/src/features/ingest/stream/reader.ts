import type { JetStreamManager, StoredMsg } from '@nats-io/jetstream'
import { isPassing } from '../../../platform/db/passing.ts'
import type { Logger } from '../../../platform/log.ts'
import type { InboundMessage } from '../types.ts'
import { unframe } from './frame.ts'
import type { Beginning, Place } from './positions.store.ts'
import { packetStream, packetSubject, underWayMax } from './streams.ts'

/** Attempts to store a message before it is set aside, if the database is not to blame. */
const triesMax = 3
/**
 * Readers that may end at the same position without a word before the next one stores message after message: what ends the process
 * that stores it shows itself with the last of `triesMax` attempts.
 */
const diedMax = triesMax - 1
const retryMs = 1_000
/** How often a partition is looked at when nobody tells of something new. */
const lookMs = 2_000
/** For how long looks must find nothing before what has been in the stream for `settledMs` is known not to be of a partition. */
const emptyMs = 1_900
/** Looks are at most 2 s apart and answered within 2 s, so at least two were made since. */
export const settledMs = 5_000

export interface ReaderTools {
  jsm: JetStreamManager
  log: Logger
  /** number of a message that was in the stream `settledMs` ago; 0: unknown */
  settledSeq(): number
  /** number up to which another server that leads the stream from now on has the same messages */
  safeSeq(): number
  /** Stores a message; resolves after the commit. */
  store(message: InboundMessage): Promise<void>
  hasRoom(message: InboundMessage): boolean
  room(message: InboundMessage): Promise<void>
  /** Notes what is about to be stored alone; committed when it resolves. */
  noteAlone(partition: number, place: Place): Promise<void>
  /** Keeps a message that is not stored any more, with the reason. */
  setAside(message: InboundMessage, why: string): Promise<void>
}

/** Messages that are stored until one of them fails. */
interface Attempt {
  hasFailed: boolean
}

/**
 * Reads one partition of the stream and stores its messages in their order. Its position, up to which everything is committed, is
 * kept in the database from time to time: the next reader begins there, and what was stored already is recognised as a duplicate.
 * When a message fails, all that are not committed are stored again, from the oldest on. They are still here, so NATS is not
 * asked for them: while the database is away, all partitions would ask for theirs every second.
 */
export class PartitionReader {
  readonly #tools: ReaderTools
  readonly #partition: number
  readonly #abort = new AbortController()
  readonly #underWay = new Set<Promise<void>>()
  /** messages that are not committed, by their number in the stream, in their order */
  readonly #pending = new Map<number, StoredMsg>()
  /** number in the stream up to which there is nothing of the partition that was not read */
  #read: number
  /** when the first of the looks was that have found nothing since; null: the last one found something or failed */
  #emptyFrom: number | null = null
  #isWoken = false
  #woken = Promise.withResolvers<void>()
  #settled = Promise.withResolvers<void>()
  /** number after which everything is to be read again */
  #backTo: number | null = null
  #attempt: Attempt = { hasFailed: false }
  #recovery: Promise<void> | undefined
  /** attempts by the sequence number of messages that failed */
  readonly #tries = new Map<number, number>()
  /** messages of connectors whose queue is full wait for each other, not for those of others */
  #chains = new Map<number, Promise<void>>()
  #running: Promise<void> | undefined
  /** messages that are still to be stored alone, because those before it have died here */
  #carefulLeft: number
  /** what the reader before was storing alone when it ended */
  readonly #suspect: Place | null

  constructor(tools: ReaderTools, partition: number, { seq, died, alone }: Beginning) {
    this.#tools = tools
    this.#partition = partition
    this.#read = seq
    this.#carefulLeft = died >= diedMax ? underWayMax : 0
    this.#suspect = this.isCareful ? alone : null
  }

  /** Whether it stores message after message, each noted before. */
  get isCareful(): boolean {
    return this.#carefulLeft > 0
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Reads no more, and resolves when what is under way is committed or left to the next reader. */
  async stop(): Promise<void> {
    this.#abort.abort()
    this.#woken.resolve()
    this.#settled.resolve()
    await this.#running
  }

  /** There is something new. */
  wake(): void {
    this.#isWoken = true
    this.#woken.resolve()
  }

  /** Reads everything after a number again; what was stored already is recognised as a duplicate. */
  goBack(seq: number): void {
    this.#backTo = Math.min(this.#backTo ?? seq, seq)
    this.wake()
  }

  /** Number in the stream up to which everything of the partition is committed. */
  get position(): number {
    const [oldest] = this.#pending.keys()
    return oldest === undefined ? this.#read : oldest - 1
  }

  /** Messages that were read and are not committed. */
  get underWay(): number {
    return this.#pending.size
  }

  /** Number of the last message that was read, while there may be more; null: everything was read. */
  get behindFrom(): number | null {
    return this.#emptyFrom === null ? this.#read : null
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort
    while (!signal.aborted) {
      try {
        await this.#readNext()
      } catch (error) {
        if (signal.aborted) break
        this.#emptyFrom = null
        // Perhaps the server that led the stream is gone. What the next one has is read in its order, so before anything newer.
        if (!this.isCareful) this.goBack(this.#tools.safeSeq())
        this.#tools.log.warn(
          { err: error, partition: this.#partition },
          'a partition of packets cannot be read; tried again in a second',
        )
        await this.#pause()
      }
    }
    await Promise.allSettled(this.#underWay)
    await this.#recovery
  }

  async #pause(): Promise<void> {
    const { signal } = this.#abort
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, retryMs)
    signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    clearTimeout(timer)
  }

  /** Reads the next message, or waits until there may be one. */
  async #readNext(): Promise<void> {
    await this.#room(underWayMax - 1)
    // A number may stand for another message now, so none is under way by its former one.
    if (this.#backTo !== null) await this.#room(0)
    if (this.#abort.signal.aborted) return
    this.#turnBack()
    this.#isWoken = false
    // The types of the library do not know `next_by_subj` here; servers have it since 2.9.
    const query = { seq: this.#read + 1, next_by_subj: packetSubject(this.#partition) }
    const message = await this.#tools.jsm.streams.getMessage(packetStream, query)
    if (message !== null) await this.#take(message)
    else await this.#waitForMore()
  }

  async #take(message: StoredMsg): Promise<void> {
    this.#emptyFrom = null
    this.#read = message.seq
    this.#pending.set(message.seq, message)
    if (this.isCareful) await this.#takeAlone(message)
    else if (!this.#attempt.hasFailed) this.#begin(message)
  }

  /** Stores what a message holds one after the other, each noted before: if the process ends, the next reader knows with which. */
  async #takeAlone(message: StoredMsg): Promise<void> {
    for (const [index, inbound] of this.#unframe(message)?.entries() ?? []) {
      let tries = 0
      while (!(await this.#storeAlone({ seq: message.seq, index }, inbound, ++tries))) {
        await this.#pause()
        if (this.#abort.signal.aborted) return
      }
    }
    this.#settle(message)
    this.#carefulLeft--
  }

  /** @returns false: to be tried again */
  async #storeAlone(place: Place, inbound: InboundMessage, tries: number): Promise<boolean> {
    try {
      if (place.seq === this.#suspect?.seq && place.index === this.#suspect.index) {
        const why = `the program ended ${triesMax} times while it stored this`
        this.#tools.log.error(
          { partition: this.#partition, ...place, connectorId: inbound.connector.id },
          why,
        )
        await this.#tools.setAside(inbound, why)
        return true
      }
      await this.#tools.noteAlone(this.#partition, place)
      await this.#store(tries < triesMax ? inbound : { ...inbound, isLastTry: true })
      return true
    } catch (error) {
      this.#tools.log.warn(
        { err: error, partition: this.#partition },
        'a packet could not be stored alone; tried again in a second',
      )
      return false
    }
  }

  /**
   * Nothing was found. What has been in the stream for long, and was not found by several looks, is not of this partition: one look
   * alone might be answered by a server that does not know yet that it no longer leads the stream.
   */
  async #waitForMore(): Promise<void> {
    const now = performance.now()
    this.#emptyFrom ??= now
    this.#carefulLeft = 0
    if (now - this.#emptyFrom >= emptyMs) this.#read = Math.max(this.#read, this.#tools.settledSeq())
    if (this.#isWoken || this.#abort.signal.aborted) return
    this.#woken = Promise.withResolvers()
    const timer = setTimeout(this.#woken.resolve, lookMs)
    await this.#woken.promise
    clearTimeout(timer)
  }

  /** Waits while more than so many are not committed. */
  async #room(pendingMax: number): Promise<void> {
    while (this.#pending.size > pendingMax && !this.#abort.signal.aborted) await this.#settled.promise
  }

  #turnBack(): void {
    if (this.#backTo === null || this.#pending.size > 0) return
    this.#read = Math.min(this.#read, this.#backTo)
    this.#backTo = null
    this.#emptyFrom = null
  }

  #begin(message: StoredMsg): void {
    const handled = this.#handle(message, this.#attempt)
    this.#underWay.add(handled)
    void handled.finally(() => this.#underWay.delete(handled))
  }

  #fail(attempt: Attempt, error: unknown): void {
    if (attempt.hasFailed) return
    attempt.hasFailed = true
    if (this.#abort.signal.aborted) return
    this.#tools.log.warn(
      { err: error, partition: this.#partition },
      'packets of a partition could not be stored; tried again in a second',
    )
    this.#recovery = this.#recover()
  }

  /** Begins again with all that are not committed, once nothing of the attempt before is under way. */
  async #recover(): Promise<void> {
    await Promise.allSettled(this.#underWay)
    await this.#pause()
    if (this.#abort.signal.aborted) return
    this.#attempt = { hasFailed: false }
    this.#chains = new Map()
    for (const message of [...this.#pending.values()]) this.#begin(message)
  }

  /** Committed when all it holds is stored. The first failure is noted before anything later can be stored. */
  async #handle(message: StoredMsg, attempt: Attempt): Promise<void> {
    const { seq } = message
    const read = this.#unframe(message)
    if (read === undefined) return
    const tries = (this.#tries.get(seq) ?? 0) + 1
    const last = tries < triesMax ? {} : { isLastTry: true as const }
    const isStale = () => attempt.hasFailed
    let isStored = true
    const stored = read.map((inbound) =>
      this.#store({ ...inbound, ...last, isStale }).catch((error: unknown) => {
        if (!isPassing(error)) this.#tries.set(seq, tries)
        isStored = false
        this.#fail(attempt, error)
      }),
    )
    await Promise.all(stored)
    if (isStored) this.#settle(message)
  }

  #settle({ seq }: StoredMsg): void {
    this.#tries.delete(seq)
    this.#pending.delete(seq)
    this.#settled.resolve()
    this.#settled = Promise.withResolvers()
  }

  /** It goes in at once where there is room, so that the next one sees how much is left. */
  #store(inbound: InboundMessage): Promise<void> {
    const entered = this.#enter(inbound)
    return entered === undefined ? this.#tools.store(inbound) : entered.then(() => this.#tools.store(inbound))
  }

  /** The messages; undefined for bytes that no node of ours has written: they are left out and logged. */
  #unframe(message: StoredMsg): InboundMessage[] | undefined {
    try {
      return unframe(message.data)
    } catch (error) {
      this.#tools.log.error(
        { err: error, seq: message.seq, partition: this.#partition, bytes: message.data.length },
        'the stream of packets holds something that is no packet; it is left out',
      )
      this.#settle(message)
      return undefined
    }
  }

  /** Waits for room; messages of one connector enter in their order. */
  #enter(inbound: InboundMessage): Promise<void> | undefined {
    const { id } = inbound.connector
    const before = this.#chains.get(id)
    if (before === undefined && this.#tools.hasRoom(inbound)) return undefined
    const entered = (before ?? Promise.resolve()).then(() =>
      this.#tools.hasRoom(inbound) ? undefined : this.#tools.room(inbound),
    )
    this.#chains.set(id, entered)
    void entered.finally(() => {
      if (this.#chains.get(id) === entered) this.#chains.delete(id)
    })
    return entered
  }
}
