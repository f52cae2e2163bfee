/**
 * Calls a function at once, and again at most once per interval: calls that come too early are made together when
 * the interval is over. For work that costs as much for many causes as for one.
 */
export class Throttle {
  readonly #intervalMs: number
  readonly #run: () => void
  #last = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(intervalMs: number, run: () => void) {
    this.#intervalMs = intervalMs
    this.#run = run
  }

  call(): void {
    if (this.#timer !== undefined) return
    const waitMs = this.#last + this.#intervalMs - performance.now()
    if (waitMs <= 0) this.now()
    else this.#timer = setTimeout(() => this.now(), waitMs)
  }

  /** Calls it without waiting, also for those that wait. */
  now(): void {
    this.stop()
    this.#last = performance.now()
    this.#run()
  }

  /** Forgets the calls that wait. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
