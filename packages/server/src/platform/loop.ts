import type { Logger } from './log.ts'

interface LoopOptions {
  log: Logger
  /** what the log says of a round that failed */
  failure: string
  /** from a failed round to the next one */
  retryMs: number
  /**
   * Does what is due; what it leaves undone when it throws must be found again by the next round.
   * @returns milliseconds to wait before the next round, 0 when there may be more to do
   */
  round(): Promise<number>
}

/**
 * Work in the background that is repeated until it is stopped, one round after the other. States: new → started →
 * stopped; neither starting nor stopping twice does harm.
 */
export class Loop {
  readonly #options: LoopOptions
  readonly #abort = new AbortController()
  #awake = Promise.withResolvers<void>()
  #running: Promise<void> | undefined

  constructor(options: LoopOptions) {
    this.#options = options
  }

  /** Aborted by `stop`: a round that can end early does so. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Makes the next round begin at once; asked for during a round, right after it. */
  wake(): void {
    this.#awake.resolve()
  }

  /** Resolves when the round under way has ended; no further one begins. */
  async stop(): Promise<void> {
    this.#abort.abort()
    this.wake()
    await this.#running
  }

  async #run(): Promise<void> {
    const { log, failure, retryMs, round } = this.#options
    while (!this.signal.aborted) {
      this.#awake = Promise.withResolvers()
      const waitMs = await round().catch((error: unknown) => {
        log.warn({ err: error }, failure)
        return retryMs
      })
      const timer = setTimeout(() => this.wake(), waitMs)
      await this.#awake.promise
      clearTimeout(timer)
    }
  }
}
