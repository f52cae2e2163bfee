import { AsyncLocalStorage } from 'node:async_hooks'
import { AppError } from './errors.ts'

/**
 * The time a request has: each of its statements may take `statementMs`, and none begins after that time has passed since
 * the operation began. So a request that is late answers within twice that time, which is when its client gives up.
 *
 * States: running → answered (a stream still writes its body, only statements are limited) → over (what is left is work
 * in the background, which nobody waits for).
 */
export class TimeLimit {
  #beganAtMs = performance.now()
  #statementMs: number
  #state: 'running' | 'answered' | 'over' = 'running'

  constructor(statementMs: number) {
    this.#statementMs = statementMs
  }

  /** How long a statement may take; undefined when the request is over. */
  get statementMs(): number | undefined {
    return this.#state === 'over' ? undefined : this.#statementMs
  }

  /** Takes the limit of the operation, once it is known and its input was read; the time begins here. */
  begin(statementMs: number): void {
    this.#statementMs = statementMs
    this.#beganAtMs = performance.now()
  }

  /** @throws AppError REQUEST_TIMEOUT when it is too late to begin a statement */
  check(): void {
    if (this.#state === 'running' && performance.now() - this.#beganAtMs > this.#statementMs)
      throw new AppError('REQUEST_TIMEOUT')
  }

  answered(): void {
    if (this.#state === 'running') this.#state = 'answered'
  }

  end(): void {
    this.#state = 'over'
  }
}

const current = new AsyncLocalStorage<TimeLimit>()

/** Runs a request within a limit of its own, which `currentTimeLimit` finds wherever the request leads. */
export async function withTimeLimit<T>(limit: TimeLimit, work: () => Promise<T>): Promise<T> {
  return current.run(limit, async () => {
    try {
      return await work()
    } finally {
      limit.end()
    }
  })
}

/** The limit of the request this runs for; undefined for work in the background. */
export function currentTimeLimit(): TimeLimit | undefined {
  return current.getStore()
}

/** Runs work that is shared with others, so that it does not end with the request that happened to start it. */
export function withoutTimeLimit<T>(work: () => T): T {
  return current.exit(work)
}
