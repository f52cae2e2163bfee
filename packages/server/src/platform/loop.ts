import type { Logger } from './log.ts'
import type { Nodes } from './nodes/index.ts'

interface LoopOptions {
  log: Logger
  /** log message for a failed round */
  failure: string
  /** delay after a failed round */
  retryMs: number
  /**
   * Does the work that is due; whatever it leaves undone when it throws must be found again by the next
   * round.
   * @returns milliseconds to wait before the next round, 0 when there may be more to do
   */
  round(): Promise<number>
  /**
   * For work that others can make due at any time: milliseconds after a round that took `tookMs` in which nothing wakes the
   * loop; then it makes the round it was woken for. Absent: none
   */
  restMs?(tookMs: number): number
  /** several nodes: `wake` reaches those where the loop runs; `name` is the same on all of them */
  shared?: { nodes: Pick<Nodes, 'tell' | 'hear'>; name: string }
}

/**
 * Background work that is repeated until it is stopped, one round at a time. It can be started again; starting and
 * stopping are idempotent.
 */
export class Loop {
  readonly #options: LoopOptions
  #abort = new AbortController()
  #awake = Promise.withResolvers<void>()
  #running: Promise<void> | undefined

  constructor(options: LoopOptions) {
    this.#options = options
    options.shared?.nodes.hear(`wake.${options.shared.name}`, () => this.#awake.resolve())
  }

  /** Aborted by `stop`: a round that can end early does so. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  start(): void {
    if (this.#running !== undefined) return
    this.#abort = new AbortController()
    this.#running = this.#run(this.#abort.signal)
  }

  /** Starts the next round at once, or right after the current one. */
  wake(): void {
    this.#awake.resolve()
    const { shared } = this.#options
    if (this.#running === undefined) shared?.nodes.tell(`wake.${shared.name}`, null)
  }

  /** Resolves when the current round has ended; no further round starts. */
  async stop(): Promise<void> {
    const running = this.#running
    this.#abort.abort()
    this.#awake.resolve()
    await running
    if (this.#running === running) this.#running = undefined
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { log, failure, retryMs, round, restMs } = this.#options
    while (!signal.aborted) {
      this.#awake = Promise.withResolvers()
      const beganMs = performance.now()
      const waitMs = await round().catch((error: unknown) => {
        log.warn({ err: error }, failure)
        return retryMs
      })
      const rest = restMs?.(performance.now() - beganMs) ?? 0
      if (rest > 0 && !signal.aborted) await this.#rest(rest, signal)
      const timer = setTimeout(() => this.#awake.resolve(), Math.max(0, waitMs - rest))
      await this.#awake.promise
      clearTimeout(timer)
    }
  }

  /** Only the end of the loop ends a rest early. */
  async #rest(ms: number, signal: AbortSignal): Promise<void> {
    const rested = Promise.withResolvers<void>()
    const end = () => rested.resolve()
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
    await rested.promise
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}
