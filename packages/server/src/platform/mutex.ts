/** Runs one asynchronous task at a time, in order of arrival. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs `work` after all earlier work; resolves with its result. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    // The failure goes to the caller of that work; the next task still runs.
    this.#last = result.catch(() => undefined)
    return result
  }
}

/** A mutex per key: work is exclusive for each of its keys and runs in parallel with work on other keys. */
export class Mutexes<K extends number | string> {
  readonly #last = new Map<K, Promise<unknown>>()

  /** Runs `work` after all earlier work on any of `keys`; resolves with its result. */
  run<T>(keys: Iterable<K>, work: () => Promise<T>): Promise<T> {
    const own = new Set(keys)
    const result = Promise.all([...own].map((key) => this.#last.get(key))).then(work)
    const ended: Promise<unknown> = result
      .catch(() => undefined)
      .then(() => {
        for (const key of own) if (this.#last.get(key) === ended) this.#last.delete(key)
      })
    for (const key of own) this.#last.set(key, ended)
    return result
  }
}
