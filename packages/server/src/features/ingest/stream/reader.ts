import {
  type ConsumerMessages,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream'
import { isPassing } from '../../../platform/db/passing.ts'
import type { Logger } from '../../../platform/log.ts'
import type { InboundMessage } from '../types.ts'
import { unframe } from './frame.ts'
import { consumerName, consumerSettings, natsCodes, packetStream, underWayMax } from './streams.ts'

/** Attempts to store a message before it is set aside, if the database is not to blame. */
const triesMax = 3
const retryMs = 1_000
/** A consumer that is not asked for messages for so long tells that its reader is alone. */
const expiresMs = 5_000
/** Later attempts to wake a silent partition come half as often: they cost NATS much. */
const silencesMax = 1

export interface ReaderTools {
  js: JetStreamClient
  jsm: JetStreamManager
  log: Logger
  /** Stores a message; resolves after the commit. */
  store(message: InboundMessage): Promise<void>
  hasRoom(message: InboundMessage): boolean
  room(message: InboundMessage): Promise<void>
}

/** Messages that are stored until one of them fails. */
interface Attempt {
  hasFailed: boolean
}

/**
 * Reads one partition of the stream and stores its messages in their order; each is acknowledged after its commit.
 * When one fails, all that are not acknowledged are stored again, from the oldest on: what was stored meanwhile is
 * recognised as a duplicate. They are still here, so NATS is not asked for them: while the database is away, all
 * partitions would ask for theirs every second.
 */
export class PartitionReader {
  readonly #tools: ReaderTools
  readonly #partition: number
  readonly #abort = new AbortController()
  readonly #underWay = new Set<Promise<void>>()
  /** messages that are not acknowledged, by their number in the stream, in the order of delivery */
  #pending = new Map<number, JsMsg>()
  #attempt: Attempt = { hasFailed: false }
  #recovery: Promise<void> | undefined
  /** how often it was read again without a delivery since */
  #silences = 0
  /** attempts by the sequence number of messages that failed */
  readonly #tries = new Map<number, number>()
  /** messages of connectors whose queue is full wait for each other, not for those of others */
  #chains = new Map<number, Promise<void>>()
  #messages: ConsumerMessages | undefined
  #deliveredAt = performance.now()
  #running: Promise<void> | undefined

  constructor(tools: ReaderTools, partition: number) {
    this.#tools = tools
    this.#partition = partition
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Reads no more, and resolves when what is under way is stored or given back. */
  async stop(): Promise<void> {
    this.#abort.abort()
    // Not awaited: it resolves only if somebody reads to the end.
    void this.#messages?.close()
    await this.#running
  }

  /** Whether nothing came for so long, and nothing is being stored; twice as long after it was read again. */
  isSilentFor(ms: number): boolean {
    const longMs = ms * 2 ** Math.min(this.#silences, silencesMax)
    return this.#pending.size === 0 && performance.now() - this.#deliveredAt > longMs
  }

  /** Reads again with the oldest that is not acknowledged. */
  again(): void {
    this.#deliveredAt = performance.now()
    this.#silences++
    void this.#messages?.close()
  }

  async #run(): Promise<void> {
    while (!this.#abort.signal.aborted) {
      try {
        await this.#read()
      } catch (error) {
        if (this.#abort.signal.aborted) break
        this.#tools.log.warn(
          { err: error, partition: this.#partition },
          'a partition of packets cannot be read; tried again in a second',
        )
      }
      await Promise.allSettled(this.#underWay)
      if (!this.#abort.signal.aborted) await this.#pause()
    }
    await Promise.allSettled(this.#underWay)
  }

  async #pause(): Promise<void> {
    const { signal } = this.#abort
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, retryMs)
    signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    clearTimeout(timer)
  }

  /** Reads until a message fails or the reader is stopped. */
  async #read(): Promise<void> {
    const { js, jsm } = this.#tools
    await this.#forgetConsumer()
    await jsm.consumers.add(packetStream, consumerSettings(this.#partition))
    const consumer = await js.consumers.get(packetStream, consumerName(this.#partition))
    const messages = await consumer.consume({ max_messages: underWayMax, expires: expiresMs })
    this.#messages = messages
    if (this.#abort.signal.aborted) void messages.close()
    this.#chains = new Map()
    this.#pending = new Map()
    this.#attempt = { hasFailed: false }
    for await (const message of messages) {
      if (this.#abort.signal.aborted) break
      this.#deliveredAt = performance.now()
      this.#silences = 0
      this.#pending.set(message.seq, message)
      if (!this.#attempt.hasFailed) this.#begin(message)
    }
    this.#attempt.hasFailed = true
    this.#pending = new Map()
    await this.#recovery
  }

  #begin(message: JsMsg): void {
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

  /** Begins again with all that are not acknowledged, once nothing of the attempt before is under way. */
  async #recover(): Promise<void> {
    await Promise.allSettled(this.#underWay)
    await this.#pause()
    if (this.#abort.signal.aborted) return
    this.#attempt = { hasFailed: false }
    this.#chains = new Map()
    for (const message of [...this.#pending.values()]) this.#begin(message)
  }

  async #forgetConsumer(): Promise<void> {
    try {
      await this.#tools.jsm.consumers.delete(packetStream, consumerName(this.#partition))
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === natsCodes.consumerNotFound) return
      throw error
    }
  }

  /** Acknowledged when all it holds is stored. The first failure is noted before anything later can be stored. */
  async #handle(message: JsMsg, attempt: Attempt): Promise<void> {
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
    if (isStored) this.#acknowledge(message)
  }

  #acknowledge(message: JsMsg): void {
    this.#tries.delete(message.seq)
    this.#pending.delete(message.seq)
    message.ack()
  }

  /** It goes in at once where there is room, so that the next one sees how much is left. */
  #store(inbound: InboundMessage): Promise<void> {
    const entered = this.#enter(inbound)
    return entered === undefined ? this.#tools.store(inbound) : entered.then(() => this.#tools.store(inbound))
  }

  /** The messages; undefined for bytes that no node of ours has written: they are taken out and logged. */
  #unframe(message: JsMsg): InboundMessage[] | undefined {
    try {
      return unframe(message.data)
    } catch (error) {
      this.#tools.log.error(
        { err: error, seq: message.seq, partition: this.#partition, bytes: message.data.length },
        'the stream of packets holds something that is no packet; it was taken out',
      )
      this.#acknowledge(message)
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
