import { type Bucket, fullBucket, type Rate, refilled, spent, waitMs } from '../../../platform/tokenBucket.ts'

/** Names of the limits, as used in error responses. */
export type LimitName = 'connector.messagesPerSecond' | 'account.messagesPerSecond'

/** A limit that is exhausted. */
export interface Reached {
  readonly limit: LimitName
  /** allowed messages per second */
  readonly value: number
  /** milliseconds until the next message may pass */
  readonly waitMs: number
}

export const turnstileLimits = {
  /** burst allowed after a pause, in seconds of the rate */
  burstSeconds: 5,
  /** waiting messages per connector; each one blocks reading from one socket */
  waitingMax: 20_000,
} as const

/** A waiting message. Exactly one of `admit` and `turnAway` is called. */
export interface Waiting {
  admit(): void
  turnAway(): void
  /**
   * whether the connection has closed; the message will be sent again, so it is refused when its turn comes
   */
  isGone(): boolean
}

/** The waiting line of one connector. */
interface Line {
  readonly connectorId: number
  bucket: Bucket
  /** first come, first served */
  readonly waiting: Waiting[]
}

/** @param perSecond null: no limit */
function rateOf(perSecond: number | null): Rate | null {
  return perSecond === null ? null : { perSecond, burst: perSecond * turnstileLimits.burstSeconds }
}

/**
 * Rate limits of one account and its connectors. A message passes when both have a token; connectors that
 * wait for the account take turns. Has no clock or timers of its own: callers pass the time in milliseconds.
 */
export class Turnstile {
  readonly #accountLimit: () => number | null
  readonly #connectorLimit: (connectorId: number) => number | null
  readonly #lines = new Map<number, Line>()
  /** lines with waiting messages, the next to be served first */
  #turn: Line[] = []
  #bucket: Bucket | undefined
  /** messages by connector since the last `takeSpent`; null: nobody asks */
  readonly #spent: Map<number, number> | null
  /** the account's last token went to a message that skipped the line */
  #owed = false

  /**
   * Limits are read on every call, in messages per second; null: no limit.
   * @param isShared other nodes have the same limits and hear what passes here
   */
  constructor(
    accountLimit: () => number | null,
    connectorLimit: (connectorId: number) => number | null,
    isShared = false,
  ) {
    this.#accountLimit = accountLimit
    this.#connectorLimit = connectorLimit
    this.#spent = isShared ? new Map() : null
  }

  /**
   * Lets one message pass, or returns the limit that was reached; if both were, the one with the longer wait.
   */
  tryPass(connectorId: number, nowMs: number): Reached | null {
    const [own, common] = [this.#connectorLimit(connectorId), this.#accountLimit()]
    if (own !== null && this.#hasLine(connectorId))
      return { limit: 'connector.messagesPerSecond', value: own, waitMs: Math.ceil(1000 / own) }
    if (common !== null && (this.#hasLine(connectorId) || (this.#owed && this.#isAwaited(nowMs))))
      return { limit: 'account.messagesPerSecond', value: common, waitMs: Math.ceil(1000 / common) }
    const reached = this.#reached(connectorId, nowMs)
    if (reached !== null) return reached
    this.charge(connectorId, 1, nowMs)
    this.#owed = this.#isAwaited(nowMs)
    return null
  }

  /** Charges for additional items in a message that has already passed. */
  charge(connectorId: number, count: number, nowMs: number): void {
    this.#spent?.set(connectorId, (this.#spent.get(connectorId) ?? 0) + count)
    this.chargeElsewhere(connectorId, count, nowMs)
  }

  /** @returns messages that passed here since the last call, by connector */
  takeSpent(): [connectorId: number, count: number][] {
    if (this.#spent === null) return []
    const taken = [...this.#spent]
    this.#spent.clear()
    return taken
  }

  /** Charges for messages that passed at another node. */
  chargeElsewhere(connectorId: number, count: number, nowMs: number): void {
    const [own, common] = [rateOf(this.#connectorLimit(connectorId)), rateOf(this.#accountLimit())]
    if (own !== null) {
      const line = this.#lineOf(connectorId, own, nowMs)
      line.bucket = spent(line.bucket, count, own, nowMs)
    }
    if (common !== null) this.#bucket = spent(this.#bucket ?? fullBucket(common, nowMs), count, common, nowMs)
  }

  /** @returns false when the line is full */
  queue(connectorId: number, waiting: Waiting, nowMs: number): boolean {
    const line = this.#lineOf(connectorId, rateOf(this.#connectorLimit(connectorId)), nowMs)
    if (line.waiting.length >= turnstileLimits.waitingMax) return false
    if (line.waiting.length === 0) this.#turn.push(line)
    line.waiting.push(waiting)
    return true
  }

  /**
   * Admits every message that may pass now, taking connectors in turn.
   * @returns milliseconds until the next one may pass, or null when none is waiting
   */
  admitDue(nowMs: number): number | null {
    let next = Number.POSITIVE_INFINITY
    let resting: Line[] = []
    for (let line = this.#turn.shift(); line !== undefined; line = this.#turn.shift()) {
      while (line.waiting[0]?.isGone()) line.waiting.shift()?.turnAway()
      if (line.waiting.length === 0) continue
      const reached = this.#reached(line.connectorId, nowMs)
      if (reached !== null) {
        next = Math.min(next, reached.waitMs)
        if (reached.limit === 'connector.messagesPerSecond') {
          resting.push(line)
          continue
        }
        // The account has no tokens left; this line stays first.
        resting = [line, ...this.#turn, ...resting]
        break
      }
      this.charge(line.connectorId, 1, nowMs)
      this.#owed = false
      line.waiting.shift()?.admit()
      if (line.waiting.length > 0) this.#turn.push(line)
    }
    this.#turn = resting
    return this.#turn.length === 0 ? null : next
  }

  /** Refuses all waiting messages. */
  turnAwayAll(): void {
    const lines = this.#turn
    this.#turn = []
    for (const { waiting } of lines) for (const each of waiting.splice(0)) each.turnAway()
  }

  /**
   * Drops buckets that are full again.
   * @returns whether nothing is left
   */
  tidy(nowMs: number): boolean {
    for (const [connectorId, { bucket, waiting }] of this.#lines) {
      const rate = rateOf(this.#connectorLimit(connectorId))
      if (waiting.length === 0 && isFull(bucket, rate, nowMs)) this.#lines.delete(connectorId)
    }
    const isOpen = this.#bucket === undefined || isFull(this.#bucket, rateOf(this.#accountLimit()), nowMs)
    return isOpen && this.#lines.size === 0
  }

  /** Whether messages of the connector are waiting; the next one must queue behind them. */
  #hasLine(connectorId: number): boolean {
    return (this.#lines.get(connectorId)?.waiting.length ?? 0) > 0
  }

  /** Whether a waiting message lacks only a token of the account. */
  #isAwaited(nowMs: number): boolean {
    return this.#turn.some(({ connectorId, bucket }) => {
      const own = rateOf(this.#connectorLimit(connectorId))
      return own === null || waitMs(bucket, own, nowMs) === 0
    })
  }

  #reached(connectorId: number, nowMs: number): Reached | null {
    const [own, common] = [rateOf(this.#connectorLimit(connectorId)), rateOf(this.#accountLimit())]
    const bucket = this.#lines.get(connectorId)?.bucket
    const ownMs = own === null || bucket === undefined ? 0 : waitMs(bucket, own, nowMs)
    const commonMs = common === null || this.#bucket === undefined ? 0 : waitMs(this.#bucket, common, nowMs)
    if (ownMs > 0 && own !== null && ownMs >= commonMs)
      return { limit: 'connector.messagesPerSecond', value: own.perSecond, waitMs: ownMs }
    if (commonMs > 0 && common !== null)
      return { limit: 'account.messagesPerSecond', value: common.perSecond, waitMs: commonMs }
    return null
  }

  #lineOf(connectorId: number, rate: Rate | null, nowMs: number): Line {
    let line = this.#lines.get(connectorId)
    if (line === undefined) {
      const bucket = fullBucket(rate ?? { perSecond: 1, burst: Number.MAX_SAFE_INTEGER }, nowMs)
      line = { connectorId, bucket, waiting: [] }
      this.#lines.set(connectorId, line)
    }
    return line
  }
}

function isFull(bucket: Bucket, rate: Rate | null, nowMs: number): boolean {
  return rate === null || refilled(bucket, rate, nowMs).tokens >= rate.burst
}
