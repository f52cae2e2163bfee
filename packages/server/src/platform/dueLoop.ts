import type { Clock } from './clock.ts'
import type { Logger } from './log.ts'
import { Loop } from './loop.ts'

/** What another process has stored is noticed after this time. */
const lookMs = 1_000
const retryMs = 5_000

interface DueLoopOptions {
  log: Logger
  clock: Clock
  /** log message for a failed round */
  failure: string
  /** as many as `piece` takes at once */
  batchMax: number
  /** Does some of what is due, in a transaction of its own. @returns how many were due */
  piece(): Promise<number>
  /** when the next one is due; null: nothing waits */
  nextAt(): Promise<Date | null>
}

/** Does what is due by rows of a table, when it is due; several processes share the work. */
export class DueLoop {
  readonly #options: DueLoopOptions
  readonly #loop: Loop

  constructor(options: DueLoopOptions) {
    this.#options = options
    const { log, failure } = options
    this.#loop = new Loop({ log, failure, retryMs, round: () => this.#round() })
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Does everything that is due now; for tests. */
  async settle(): Promise<void> {
    while ((await this.#options.piece()) > 0);
  }

  async #round(): Promise<number> {
    const { piece, nextAt, clock, batchMax } = this.#options
    if ((await piece()) >= batchMax) return 0
    const next = await nextAt()
    const waitMs = next === null ? lookMs : next.getTime() - clock.now().getTime()
    return Math.min(lookMs, Math.max(1, waitMs))
  }
}
