import { LRUCache } from 'lru-cache'
import { upTo } from '../../platform/cache.ts'
import { type Bucket, fullBucket, type Rate, refilled, spent } from '../../platform/tokenBucket.ts'
import type { RejectedMessage } from '../ingest/index.ts'

/** Characters of whole bodies that a connector may leave behind; enough for hundreds of ordinary messages a second. */
const wholeBodies: Rate = { perSecond: 100_000, burst: 8_000_000 }
/** Characters kept of further bodies: enough to see what the message was. */
const beginningChars = 10_000
const connectorsMax = 10_000

/**
 * Shortens the bodies of dead letters while a connector leaves behind very much: a sender of large messages that
 * cannot be used must not keep the database busy. A shortened message cannot be replayed.
 */
export class BodyBudget {
  readonly #left = new LRUCache<number, Bucket>(upTo(connectorsMax))
  readonly #rate: Rate

  constructor(rate: Rate = wholeBodies) {
    this.#rate = rate
  }

  /** The message as it is kept. */
  cut(message: RejectedMessage, nowMs: number): RejectedMessage {
    const { body, connectorId } = message
    if (body.length <= beginningChars) return message
    const left = this.#left.get(connectorId) ?? fullBucket(this.#rate, nowMs)
    if (refilled(left, this.#rate, nowMs).tokens < body.length)
      return { ...message, body: body.slice(0, beginningChars), meta: { ...message.meta, cut: true } }
    this.#left.set(connectorId, spent(left, body.length, this.#rate, nowMs))
    return message
  }
}
