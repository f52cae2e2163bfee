/** Lets one asynchronous piece of work run at a time, in the order they came. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs `work` when everything before it is done; answers what it answers. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    // A failure belongs to whoever asked for the work; the next one starts all the same.
    this.#last = result.catch(() => undefined)
    return result
  }
}

/** The same for work that concerns several things: it runs alone for each of them, beside work on others. */
export class Mutexes<K extends number | string> {
  readonly #last = new Map<K, Promise<unknown>>()

  /** Runs `work` when everything before it that concerns one of `keys` is done; answers what it answers. */
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
