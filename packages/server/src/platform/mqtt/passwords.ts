import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { upTo } from '../cache.ts'

/** Bounds of what is remembered and of what runs at once. */
export const passwordLimits = {
  rememberedMax: 10_000,
  /** a right password is believed again for so long without computing anything */
  rightMs: 10 * 60_000,
  /** a wrong one is refused again for so long without computing anything */
  wrongMs: 30_000,
  runningMax: 2,
  /** checks that wait; beyond it the answer is `busy` */
  waitingMax: 200,
  /** the same for those who have never shown the right password: the rest of the places is for those who have */
  strangersWaitingMax: 100,
} as const

/**
 * Checks passwords against slow hashes without melting the processor when ten thousand devices come back at once: an
 * answer is remembered for a while, the same question is asked once, few run at a time. Only digests are kept.
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

  /** Whether the same was asked before, or is being asked: it costs nothing to ask again, and tells nobody anything new. */
  isRemembered(hash: string, password: string): boolean {
    const key = keyOf(hash, password)
    return this.#answers.has(key) || this.#asked.has(key)
  }

  /**
   * Whether the password fits the hash; `busy` when too many others wait.
   * @param isKnown whoever asks has shown the right password before
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

/** Of a question: only digests are kept. */
function keyOf(hash: string, password: string): string {
  return createHash('sha256').update(hash).update('\0').update(password).digest('base64')
}
