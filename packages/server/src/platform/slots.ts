import { AppError } from './errors.ts'

export interface SlotLimits {
  /** pieces of work at once */
  readonly runningMax: number
  /** pieces that wait for a slot; further ones are refused */
  readonly waitingMax: number
}

/** Lets a few pieces of work run at once and some more wait, in the order they came. */
export class Slots {
  readonly #limits: SlotLimits
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /**
   * Runs `work` when there is a slot; answers what it answers.
   * @throws AppError OVERLOADED when too much waits already; the work was not begun then
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limits.runningMax) this.#running += 1
    else {
      if (this.#waiting.length >= this.#limits.waitingMax)
        throw new AppError('OVERLOADED', { retryAfterSeconds: 1 })
      // Whoever ends hands the slot over, so that nobody who comes later gets in between.
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}
