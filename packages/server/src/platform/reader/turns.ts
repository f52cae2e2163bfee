import { AppError } from '../errors.ts'
import type { ReaderLimits } from './types.ts'

interface Waiting {
  accountId: number
  bytes: number
  begin: () => void
}

/**
 * The order of reading: one file per account at a time, so that none blocks the others; otherwise first come,
 * first served.
 */
export class ReadingTurns {
  readonly #limits: ReaderLimits
  readonly #running = new Set<number>()
  /** accounts whose next file has to wait for a while */
  readonly #breaks = new Map<number, NodeJS.Timeout>()
  readonly #waiting: Waiting[] = []

  constructor(limits: ReaderLimits) {
    this.#limits = limits
  }

  /**
   * @param bytes size of the file, which stays in memory while it waits
   * @throws AppError OVERLOADED when too many are waiting; the work was not started
   */
  async run<T>(accountId: number, bytes: number, work: () => Promise<T>): Promise<T> {
    if (this.#mayBegin(accountId)) this.#running.add(accountId)
    else {
      if (!this.#mayWait(accountId, bytes)) throw new AppError('OVERLOADED', { retryAfterSeconds: 5 })
      // A finished task hands its turn to the next waiter, so later arrivals cannot jump the queue.
      await new Promise<void>((begin) => this.#waiting.push({ accountId, bytes, begin }))
    }
    try {
      return await work()
    } finally {
      this.#running.delete(accountId)
      this.#next()
    }
  }

  /** The account's next file begins this many milliseconds from now at the earliest. */
  pause(accountId: number, ms: number): void {
    clearTimeout(this.#breaks.get(accountId))
    const timer = setTimeout(() => {
      this.#breaks.delete(accountId)
      this.#next()
    }, ms)
    this.#breaks.set(accountId, timer.unref())
  }

  #mayBegin(accountId: number): boolean {
    const isFree = !this.#running.has(accountId) && !this.#breaks.has(accountId)
    return isFree && this.#running.size < this.#limits.processesMax
  }

  #mayWait(accountId: number, bytes: number): boolean {
    const own = this.#waiting.filter((each) => each.accountId === accountId)
    const { waitingMax, waitingOfAccountMax, waitingBytesMax, waitingBytesOfAccountMax } = this.#limits
    return (
      own.length < waitingOfAccountMax &&
      this.#waiting.length < waitingMax &&
      bytesOf(own) + bytes <= waitingBytesOfAccountMax &&
      bytesOf(this.#waiting) + bytes <= waitingBytesMax
    )
  }

  #next(): void {
    const at = this.#waiting.findIndex((each) => this.#mayBegin(each.accountId))
    const [next] = at < 0 ? [] : this.#waiting.splice(at, 1)
    if (!next) return
    this.#running.add(next.accountId)
    next.begin()
  }
}

function bytesOf(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { bytes }) => sum + bytes, 0)
}
