import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * How long each statement of a request may take. Other time does not count: on a busy machine checking a
 * password takes seconds, and refusing it would only cause another attempt.
 */
export class TimeLimit {
  #statementMs: number | undefined

  constructor(statementMs: number) {
    this.#statementMs = statementMs
  }

  /** undefined once the request is over: the rest is background work that no client waits for */
  get statementMs(): number | undefined {
    return this.#statementMs
  }

  /** Sets the limit of the operation, once it is known. */
  set(statementMs: number): void {
    this.#statementMs = statementMs
  }

  end(): void {
    this.#statementMs = undefined
  }
}

const current = new AsyncLocalStorage<TimeLimit>()

/** Runs a request with its own limit, which `currentTimeLimit` returns anywhere within it. */
export async function withTimeLimit<T>(limit: TimeLimit, work: () => Promise<T>): Promise<T> {
  return current.run(limit, async () => {
    try {
      return await work()
    } finally {
      limit.end()
    }
  })
}

/** The limit of the current request; undefined for background work. */
export function currentTimeLimit(): TimeLimit | undefined {
  return current.getStore()
}

/** Runs shared work without a limit, so that it does not end with the request that happened to start it. */
export function withoutTimeLimit<T>(work: () => T): T {
  return current.exit(work)
}
