/** An account whose turn it is. */
export interface Turn {
  accountId: number
  /** something of this account has changed; false: something has, and nobody knows of which account */
  isKnown: boolean
}

/** Shortest rest of an account between two turns. */
export const restMs = 1_000
/** A turn of an account is followed by this many times its own time until the next one. */
const restFactor = 10
/** Rests remembered before those that are over are forgotten. */
const restsMax = 1_000

/**
 * Whose turn it is to be looked at: accounts of which something has changed, in the order of their changes, and all others only
 * while none of these waits. An account that changes all the time, or takes long, takes its time from nobody else: it rests after each turn.
 * Times are milliseconds of one clock.
 */
export class AccountTurns {
  readonly #changed = new Set<number>()
  readonly #others = new Set<number>()
  readonly #restUntil = new Map<number, number>()
  #othersRestUntil = 0

  /** @param isKnown that something of these has changed */
  add(accountIds: Iterable<number>, isKnown: boolean): void {
    const waiting = isKnown ? this.#changed : this.#others
    for (const id of accountIds) waiting.add(id)
  }

  /** The next turn; undefined: nobody waits, or those who do rest. */
  take(nowMs: number): Turn | undefined {
    const changed = this.#rested(this.#changed, nowMs)
    const other = this.#othersRestUntil <= nowMs ? this.#rested(this.#others, nowMs) : undefined
    const accountId = changed ?? other
    if (accountId === undefined) return undefined
    this.#changed.delete(accountId)
    this.#others.delete(accountId)
    return { accountId, isKnown: changed !== undefined }
  }

  /** After a turn: its account rests. After one of the others all of them rest as long as it took. */
  done({ accountId, isKnown }: Turn, { tookMs, nowMs }: { tookMs: number; nowMs: number }): void {
    this.#restUntil.set(accountId, nowMs + Math.max(restMs, restFactor * tookMs))
    if (!isKnown) this.#othersRestUntil = nowMs + tookMs
    if (this.#restUntil.size <= restsMax) return
    for (const [id, untilMs] of this.#restUntil) if (untilMs <= nowMs) this.#restUntil.delete(id)
  }

  /** Until somebody's turn may come, at least 0; undefined: nobody waits. */
  waitMs(nowMs: number): number | undefined {
    let first = Number.POSITIVE_INFINITY
    for (const id of this.#changed) first = Math.min(first, this.#restUntil.get(id) ?? 0)
    for (const id of this.#others)
      first = Math.min(first, Math.max(this.#restUntil.get(id) ?? 0, this.#othersRestUntil))
    return first === Number.POSITIVE_INFINITY ? undefined : Math.max(0, first - nowMs)
  }

  #rested(waiting: ReadonlySet<number>, nowMs: number): number | undefined {
    for (const id of waiting) if ((this.#restUntil.get(id) ?? 0) <= nowMs) return id
    return undefined
  }
}
