import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * How long each statement of a request may take. Time spent on anything else does not count: on a busy machine a password
 * takes seconds to check, and refusing it then would only bring the next try.
 */
export class TimeLimit {
  #statementMs: number | undefined

  constructor(statementMs: number) {
    this.#statementMs = statementMs
  }

  /** undefined when the request is over: what is left is work in the background, which nobody waits for */
  get statementMs(): number | undefined {
    return this.#statementMs
  }

  /** Takes the limit of the operation, once it is known. */
  set(statementMs: number): void {
    this.#statementMs = statementMs
  }

  end(): void {
    this.#statementMs = undefined
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
