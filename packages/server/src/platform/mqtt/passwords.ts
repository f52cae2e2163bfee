import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { upTo } from '../cache.ts'
import { hashesMax } from '../slots.ts'

/** Limits of the cache and of concurrent checks. */
export const passwordLimits = {
  rememberedMax: 10_000,
  /** how long a correct password is accepted without computing the hash */
  rightMs: 10 * 60_000,
  /** how long a wrong one is refused without computing the hash */
  wrongMs: 30_000,
  runningMax: hashesMax,
  /** waiting checks; beyond this the result is `busy` */
  waitingMax: 200,
  /**
   * the same for clients that have never sent the correct password; the remaining places are for those that
   * have
   */
  strangersWaitingMax: 100,
} as const

/**
 * Checks passwords against slow hashes without saturating the CPU when ten thousand devices reconnect at
 * once: results are cached for a while, identical checks are shared, and only a few run at a time. Only
 * digests are kept.
 */
export class Passwords {
  readonly #verify: (hash: string, password: string) => Promise<boolean>
  readonly #answers = new LRUCache<string, { fits: boolean }>({
    ...upTo(passwordLimits.rememberedMax),
    ttl: 1,
  })
  readonly #asked = new Map<string, Promise<boolean>>()
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** @param verify the slow check */
  constructor(verify: (hash: string, password: string) => Promise<boolean>) {
    this.#verify = verify
  }

  /**
   * Whether the same check was done before or is in progress: repeating it costs nothing and reveals nothing
   * new.
   */
  isRemembered(hash: string, password: string): boolean {
    const key = keyOf(hash, password)
    return this.#answers.has(key) || this.#asked.has(key)
  }

  /**
   * Whether the password matches the hash; `busy` when too many checks are waiting.
   * @param isKnown the client has sent the correct password before
   */
  async fits(hash: string, password: string, isKnown = true): Promise<boolean | 'busy'> {
    const { runningMax, waitingMax, strangersWaitingMax } = passwordLimits
    const key = keyOf(hash, password)
    const known = this.#answers.get(key)
    if (known) return known.fits
    const asked = this.#asked.get(key)
    if (asked) return asked
    const most = isKnown ? waitingMax : strangersWaitingMax
    if (this.#running >= runningMax && this.#waiting.length >= most) return 'busy'
    const answer = this.#check(hash, password).finally(() => this.#asked.delete(key))
    this.#asked.set(key, answer)
    const fits = await answer
    this.#answers.set(key, { fits }, { ttl: fits ? passwordLimits.rightMs : passwordLimits.wrongMs })
    return fits
  }

  async #check(hash: string, password: string): Promise<boolean> {
    if (this.#running >= passwordLimits.runningMax) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    this.#running += 1
    try {
      return await this.#verify(hash, password)
    } finally {
      this.#running -= 1
      this.#waiting.shift()?.()
    }
  }
}

/** Key of a check: only digests are kept. */
function keyOf(hash: string, password: string): string {
  return createHash('sha256').update(hash).update('\0').update(password).digest('base64')
}
