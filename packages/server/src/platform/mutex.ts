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
