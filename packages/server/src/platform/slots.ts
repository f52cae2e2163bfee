import { availableParallelism } from 'node:os'
import { AppError } from './errors.ts'

/** Slow hashes of passwords computed at once; leaves a processor to everything else. */
export const hashesMax = Math.max(1, Math.min(2, availableParallelism() - 1))

export interface SlotLimits {
  /** tasks that run at once */
  readonly runningMax: number
  /** tasks that may wait for a slot; further ones are refused */
  readonly waitingMax: number
}

/** Runs a limited number of tasks at once and queues some more, in order of arrival. */
export class Slots {
  readonly #limits: SlotLimits
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /**
   * Runs `work` when a slot is free; resolves with its result.
   * @throws AppError OVERLOADED when too many tasks are waiting; the work was not started
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limits.runningMax) this.#running += 1
    else {
      if (this.#waiting.length >= this.#limits.waitingMax)
        throw new AppError('OVERLOADED', { retryAfterSeconds: 1 })
      // A finished task hands its slot to the next waiter, so later arrivals cannot jump the queue.
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
