import { JetStreamApiError, type JetStreamClient, jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { AppError } from '../../../platform/errors.ts'
import type { Logger } from '../../../platform/log.ts'
import type { InboundMessage, Outcome } from '../types.ts'
import { frame } from './frame.ts'
import { natsCodes, packetSubject } from './streams.ts'

export const doorLimits = {
  /** messages of a node whose acknowledgement by NATS is awaited */
  items: 20_000,
  bytes: 128_000_000,
  /** the same for a connector */
  laneItems: 4_000,
  publishMs: 5_000,
  /** minimum time between two lines in the log about the same problem */
  repeatMs: 10_000,
} as const

/** Messages on their way to the stream of packets: acknowledged to the source once NATS has stored them. */
export class Door {
  readonly #nc: NatsConnection
  readonly #js: JetStreamClient
  readonly #log: Logger
  readonly #setAside: (message: InboundMessage, why: string) => Promise<void>
  readonly #lanes = new Map<number, number>()
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
    const { partition, messageId, bytes } = frame(message)
    const { id } = message.connector
    const bytesMax = this.#nc.info?.max_payload ?? Number.POSITIVE_INFINITY
    if (bytes.length > bytesMax) return this.#refuse(message, `NATS accepts messages of ${bytesMax} bytes`)
    if (!this.hasRoom(id) && this.#items >= 2 * doorLimits.items) throw overloaded()
    this.#count(id, 1, bytes.length)
    try {
      const acknowledged = await this.#js.publish(packetSubject(partition), bytes, {
        timeout: doorLimits.publishMs,
        retries: 0,
        ...(messageId === undefined ? {} : { msgID: messageId }),
      })
      const count = message.packets.length
      const [accepted, duplicates] = acknowledged.duplicate ? [0, count] : [count, 0]
      return { accepted, duplicates, rejected: [], decoded: [], durationUs: 0, isQueued: true }
    } catch (error) {
      this.#note(error)
      throw overloaded()
    } finally {
      this.#count(id, -1, -bytes.length)
    }
  }

  /** Sending it again would not help, so it is kept with the reason. */
  async #refuse(message: InboundMessage, why: string): Promise<Outcome> {
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
    const now = performance.now()
    if (now - this.#loggedAt < doorLimits.repeatMs) return
    this.#loggedAt = now
    const isFull = error instanceof JetStreamApiError && natsCodes.full.some((code) => code === error.code)
    this.#log.error(
      { err: error },
      isFull
        ? 'the stream of packets is full, senders are refused: the ingest nodes do not keep up, or NATS_STREAM_MB is too small'
        : 'NATS did not take a packet, senders are refused',
    )
  }
}

function overloaded(): AppError {
  return new AppError('OVERLOADED', { retryAfterSeconds: 1 })
}
