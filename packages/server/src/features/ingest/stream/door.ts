import { JetStreamApiError, type JetStreamClient, jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { AppError } from '../../../platform/errors.ts'
import type { Logger } from '../../../platform/log.ts'
import type { InboundMessage, Outcome } from '../types.ts'
import { frame, messageIdOf, partitionOf } from './frame.ts'
import { batchMax, natsCodes, packetSubject, wakeSubject } from './streams.ts'

export const doorLimits = {
  /** messages of a node whose acknowledgement by NATS is awaited */
  items: 20_000,
  bytes: 128_000_000,
  /** the same for a connector */
  laneItems: 4_000,
  publishMs: 5_000,
  /** characters of several messages in one of the stream, before they are compressed */
  batchChars: 500_000,
  /** minimum time between two lines in the log about the same problem */
  repeatMs: 10_000,
} as const

/** Why a door is closed: the stream is full, is not the one that was used, or it is not known how full it is. */
export type Closed = 'full' | 'gone' | 'unknown'

/** A message that waits for its turn. */
interface Waiting {
  message: InboundMessage
  size: number
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

/**
 * Messages on their way to the stream of packets: acknowledged to the source once NATS has stored them. A partition
 * has one publication under way; what arrives meanwhile goes into the next one together, since NATS takes as long for
 * many as for one.
 */
export class Door {
  readonly #nc: NatsConnection
  readonly #js: JetStreamClient
  readonly #log: Logger
  readonly #setAside: (message: InboundMessage, why: string) => Promise<void>
  readonly #lanes = new Map<number, number>()
  /** by partition; there while a publication of it is under way */
  readonly #partitions = new Map<number, Waiting[]>()
  #closed: Closed | null = null
  #items = 0
  #bytes = 0
  #waiting: (() => void)[] = []
  #loggedAt = Number.NEGATIVE_INFINITY

  constructor(
    nc: NatsConnection,
    log: Logger,
    setAside: (message: InboundMessage, why: string) => Promise<void>,
  ) {
    this.#nc = nc
    this.#setAside = setAside
    this.#js = jetstream(nc)
    this.#log = log
  }

  /** While it is closed, nothing more is put in. */
  setClosed(why: Closed | null): void {
    this.#closed = why
  }

  get waiting(): number {
    return this.#items
  }

  get waitingBytes(): number {
    return this.#bytes
  }

  hasRoom(connectorId: number): boolean {
    const isOpen = this.#items < doorLimits.items && this.#bytes < doorLimits.bytes
    return isOpen && (this.#lanes.get(connectorId) ?? 0) < doorLimits.laneItems
  }

  async room(connectorId: number): Promise<void> {
    while (!this.hasRoom(connectorId)) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /**
   * @returns what is known before it is read: `queued`, or a duplicate of one that NATS got in the last two minutes
   * @throws AppError OVERLOADED when NATS cannot be reached or the stream is full: nothing was stored
   */
  async put(message: InboundMessage): Promise<Outcome> {
    const { id } = message.connector
    if (this.#closed !== null) {
      if (this.#closed === 'full') this.#noteFull()
      throw overloaded()
    }
    if (!this.hasRoom(id) && this.#items >= 2 * doorLimits.items) throw overloaded()
    const size = sizeOf(message)
    this.#count(id, 1, size)
    try {
      return await new Promise<Outcome>((resolve, reject) => {
        this.#enter(partitionOf(message), { message, size, resolve, reject })
      })
    } finally {
      this.#count(id, -1, -size)
    }
  }

  #enter(partition: number, entry: Waiting): void {
    const waiting = this.#partitions.get(partition)
    if (waiting !== undefined) {
      waiting.push(entry)
      return
    }
    const queue = [entry]
    this.#partitions.set(partition, queue)
    void this.#publishAll(partition, queue)
  }

  /** Publishes until nothing of the partition waits. When one fails, what waits is refused too, in the same moment. */
  async #publishAll(partition: number, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, batchLength(queue))
      try {
        await this.#publish(partition, batch)
      } catch (error) {
        this.#note(error)
        for (const { reject } of [...batch, ...queue.splice(0)]) reject(overloaded())
      }
    }
    this.#partitions.delete(partition)
  }

  /** NATS can recognise only a message alone; others are recognised when they are stored. */
  async #publish(partition: number, batch: readonly Waiting[]): Promise<void> {
    const bytes = frame(batch.map(({ message }) => message))
    const bytesMax = this.#nc.info?.max_payload ?? Number.POSITIVE_INFINITY
    const [first] = batch
    const alone = batch.length === 1 ? first : undefined
    if (bytes.length > bytesMax) {
      if (alone !== undefined) alone.resolve(await this.#refuse(alone.message, bytesMax))
      else for (const each of batch) await this.#publish(partition, [each])
      return
    }
    const messageId = alone && messageIdOf(alone.message)
    const { duplicate, seq } = await this.#js.publish(packetSubject(partition), bytes, {
      timeout: doorLimits.publishMs,
      retries: 0,
      ...(messageId === undefined ? {} : { msgID: messageId }),
    })
    // Servers up to 2.9 say so of a message that is only on its way to the others, and may still be lost.
    if (duplicate && seq === 0) throw new Error('NATS knows the message, but has not stored it yet')
    if (!duplicate) this.#nc.publish(wakeSubject(partition))
    for (const { message, resolve } of batch) resolve(outcomeOf(message, duplicate))
  }

  /** Sending it again would not help, so it is kept with the reason. */
  async #refuse(message: InboundMessage, bytesMax: number): Promise<Outcome> {
    const why = `NATS accepts messages of ${bytesMax} bytes`
    await this.#setAside(message, why)
    const rejected = [{ identifier: null, code: 'PACKET_TOO_LARGE' as const, message: why, index: 0 }]
    return { accepted: 0, duplicates: 0, rejected, decoded: [], durationUs: 0 }
  }

  #count(connectorId: number, items: number, bytes: number): void {
    this.#items += items
    this.#bytes += bytes
    const lane = (this.#lanes.get(connectorId) ?? 0) + items
    if (lane === 0) this.#lanes.delete(connectorId)
    else this.#lanes.set(connectorId, lane)
    if (items < 0) for (const resolve of this.#waiting.splice(0)) resolve()
  }

  #note(error: unknown): void {
    const isFull = error instanceof JetStreamApiError && natsCodes.full.some((code) => code === error.code)
    if (isFull) this.#noteFull(error)
    else if (this.#isTimeToLog())
      this.#log.error({ err: error }, 'NATS did not take a packet, senders are refused')
  }

  #noteFull(error?: unknown): void {
    if (!this.#isTimeToLog()) return
    this.#log.error(
      error === undefined ? {} : { err: error },
      'the stream of packets is full, senders are refused: the ingest nodes do not keep up, or NATS_STREAM_MB is too small',
    )
  }

  #isTimeToLog(): boolean {
    const now = performance.now()
    if (now - this.#loggedAt < doorLimits.repeatMs) return false
    this.#loggedAt = now
    return true
  }
}

/** Characters of its text, and about as many for what was read from it. */
function sizeOf({ raw }: InboundMessage): number {
  return 2 * raw.length
}

/** How many of the queue go together: one, or as many as their texts allow. */
function batchLength(queue: readonly Waiting[]): number {
  let [length, chars] = [0, 0]
  for (const each of queue.slice(0, batchMax)) {
    chars += each.size
    if (length > 0 && chars > doorLimits.batchChars) break
    length++
  }
  return length
}

function outcomeOf({ packets }: InboundMessage, isDuplicate: boolean): Outcome {
  const [accepted, duplicates] = isDuplicate ? [0, packets.length] : [packets.length, 0]
  return { accepted, duplicates, rejected: [], decoded: [], durationUs: 0, isQueued: true }
}

function overloaded(): AppError {
  return new AppError('OVERLOADED', { retryAfterSeconds: 1 })
}
