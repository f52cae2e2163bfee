import { type Bucket, fullBucket, type Rate, refilled, spent, waitMs } from '../../../platform/tokenBucket.ts'

/** Names of the limits, as refusals tell them. */
export type LimitName = 'connector.messagesPerSecond' | 'account.messagesPerSecond'

/** A limit that has nothing left. */
export interface Reached {
  readonly limit: LimitName
  /** messages per second it allows */
  readonly value: number
  /** until there is something again */
  readonly waitMs: number
}

export const turnstileLimits = {
  /** what may pass at once after a pause, in seconds of the rate */
  burstSeconds: 5,
  /** messages of a connector that stand in line; each stands for a socket that is not read meanwhile */
  waitingMax: 20_000,
} as const

/** Somebody in line. Exactly one of `admit` and `turnAway` is called. */
export interface Waiting {
  admit(): void
  turnAway(): void
  /** the connection is closed: it sends again, so it is turned away when its turn comes */
  isGone(): boolean
}

/** A connector at the turnstile. */
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
 * What an account and each of its connectors may send. A message passes when both have a token; connectors that wait
 * for the account take turns. Without clock and timers of its own: time is passed in, in milliseconds.
 */
export class Turnstile {
  readonly #accountLimit: () => number | null
  readonly #connectorLimit: (connectorId: number) => number | null
  readonly #lines = new Map<number, Line>()
  /** lines somebody stands in, whose turn it is first */
  #turn: Line[] = []
  #bucket: Bucket | undefined
  /** the last token of the account went to somebody who did not stand in line, though others did */
  #owed = false

  /** The limits are asked for each time, in messages per second; null: none. */
  constructor(accountLimit: () => number | null, connectorLimit: (connectorId: number) => number | null) {
    this.#accountLimit = accountLimit
    this.#connectorLimit = connectorLimit
  }

  /** Lets one message pass, or says which limit is reached; of both the one that takes longer. */
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

  /** Takes what more was in a message that has passed. */
  charge(connectorId: number, count: number, nowMs: number): void {
    const [own, common] = [rateOf(this.#connectorLimit(connectorId)), rateOf(this.#accountLimit())]
    if (own !== null) {
      const line = this.#lineOf(connectorId, own, nowMs)
      line.bucket = spent(line.bucket, count, own, nowMs)
    }
    if (common !== null) this.#bucket = spent(this.#bucket ?? fullBucket(common, nowMs), count, common, nowMs)
  }

  /** @returns false when the line is too long */
  queue(connectorId: number, waiting: Waiting, nowMs: number): boolean {
    const line = this.#lineOf(connectorId, rateOf(this.#connectorLimit(connectorId)), nowMs)
    if (line.waiting.length >= turnstileLimits.waitingMax) return false
    if (line.waiting.length === 0) this.#turn.push(line)
    line.waiting.push(waiting)
    return true
  }

  /**
   * Admits everybody who may pass now, the connectors in turn.
   * @returns milliseconds until the next may, or null when nobody waits
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
        // Nobody passes while the account has nothing; this one stays the next.
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

  /** Sends everybody away. */
  turnAwayAll(): void {
    const lines = this.#turn
    this.#turn = []
    for (const { waiting } of lines) for (const each of waiting.splice(0)) each.turnAway()
  }

  /**
   * Drops what says no more than that nothing was sent lately.
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

  /** Whether messages of the connector stand in line: the next one has to stand behind them. */
  #hasLine(connectorId: number): boolean {
    return (this.#lines.get(connectorId)?.waiting.length ?? 0) > 0
  }

  /** Whether somebody in line waits for the account alone. */
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
