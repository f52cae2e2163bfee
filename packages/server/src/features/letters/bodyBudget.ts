import { Allowance } from '../../platform/allowance.ts'
import type { Rate } from '../../platform/tokenBucket.ts'
import type { RejectedMessage } from '../ingest/index.ts'

/** Characters of dead letters kept whole per connector; enough for hundreds of ordinary messages a second. */
const wholeBodies: Rate = { perSecond: 100_000, burst: 8_000_000 }
/** Characters kept of further bodies: enough to see what the message was. */
const beginningChars = 10_000

/**
 * Shortens dead letters while a connector produces too many of them: a sender of large, unusable messages must not
 * keep the database busy. A shortened message cannot be replayed.
 */
export class BodyBudget {
  readonly #allowance: Allowance<number>

  constructor(rate: Rate = wholeBodies) {
    this.#allowance = new Allowance(rate)
  }

  /** The message as it is kept. */
  cut(message: RejectedMessage, nowMs: number): RejectedMessage {
    const { body, connectorId } = message
    if (body.length <= beginningChars) return message
    if (this.#allowance.left(connectorId, nowMs) < body.length)
      return { ...message, body: body.slice(0, beginningChars), meta: { ...message.meta, cut: true } }
    this.#allowance.spend(connectorId, body.length, nowMs)
    return message
  }
}
