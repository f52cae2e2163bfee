import { AppError } from '../errors.ts'
import type { ReaderLimits } from './types.ts'

interface Waiting {
  accountId: number
  begin: () => void
}

/** Who reads next: each account one file at a time, so that none keeps the others from reading; else in order. */
export class ReadingTurns {
  readonly #limits: ReaderLimits
  readonly #running = new Set<number>()
  readonly #waiting: Waiting[] = []

  constructor(limits: ReaderLimits) {
    this.#limits = limits
  }

  /** @throws AppError OVERLOADED when too many wait already; the work was not begun then */
  async run<T>(accountId: number, work: () => Promise<T>): Promise<T> {
    if (this.#mayBegin(accountId)) this.#running.add(accountId)
    else {
      const own = this.#waiting.filter((each) => each.accountId === accountId).length
      if (own >= this.#limits.waitingOfAccountMax || this.#waiting.length >= this.#limits.waitingMax)
        throw new AppError('OVERLOADED', { retryAfterSeconds: 5 })
      // Who ends hands the turn over, so that nobody who comes later gets in between.
      await new Promise<void>((begin) => this.#waiting.push({ accountId, begin }))
    }
    try {
      return await work()
    } finally {
      this.#running.delete(accountId)
      this.#next()
    }
  }

  #mayBegin(accountId: number): boolean {
    return this.#running.size < this.#limits.processesMax && !this.#running.has(accountId)
  }

  #next(): void {
    const at = this.#waiting.findIndex((each) => this.#mayBegin(each.accountId))
    const [next] = at < 0 ? [] : this.#waiting.splice(at, 1)
    if (!next) return
    this.#running.add(next.accountId)
    next.begin()
  }
}
