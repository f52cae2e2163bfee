/**
 * Processes the messages of one sender: prepared in parallel, begun in order of arrival and completed in that
 * order too (MQTT 3.1.1, 4.6: acknowledgements go out in the order of the messages).
 *
 * Thousands of messages a second pass through here, most of them prepared synchronously and admitted without
 * waiting: those cost one promise each.
 */
export class Lane {
  /** calls in order of arrival; the first without a result delays the results of those behind it */
  readonly #calls: Call[] = []
  /** resolves when every call so far has begun; only used by calls that have to wait */
  #begun: Promise<void> = Promise.resolve()
  #waitingToBegin = 0

  /**
   * @param prepare starts at once
   * @param begin is called after every earlier `begin` of the lane has been called
   * @param admit decides whether to wait in between, e.g. for room in a queue
   * @returns the result of `begin`, not before the earlier calls have theirs
   */
  run<T, R>(
    prepare: () => Promise<T> | T,
    begin: (prepared: T) => Promise<R>,
    admit?: () => Promise<void> | undefined,
  ): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      const call: Call = { answer: undefined }
      this.#calls.push(call)
      const end = (result: R) => this.#end(call, () => resolve(result))
      const fail = (error: unknown) => this.#end(call, () => reject(error))
      let prepared: Promise<T> | T
      try {
        prepared = prepare()
      } catch (error) {
        fail(error)
        return
      }
      if (this.#waitingToBegin === 0 && !(prepared instanceof Promise)) {
        const admitted = admit?.()
        if (admitted === undefined) {
          begin(prepared).then(end, fail)
          return
        }
        this.#beginLater(admitted, prepared, begin, admit).then(end, fail)
        return
      }
      this.#beginLater(undefined, prepared, begin, admit).then(end, fail)
    })
  }

  /** Begins a call once those before it have begun and it is admitted. */
  async #beginLater<T, R>(
    admitted: Promise<void> | undefined,
    preparing: Promise<T> | T,
    begin: (prepared: T) => Promise<R>,
    admit: (() => Promise<void> | undefined) | undefined,
  ): Promise<R> {
    const before = this.#begun
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#begun = promise
    this.#waitingToBegin++
    let result: Promise<R>
    try {
      try {
        const prepared = await preparing
        await before
        await (admitted ?? admit?.())
        result = begin(prepared)
      } finally {
        await before
        this.#waitingToBegin--
        resolve()
      }
    } catch (error) {
      return Promise.reject(error)
    }
    return result
  }

  /**
   * Delivers the results that are due: this one if nothing before it is pending, and those that waited for
   * it.
   */
  #end(call: Call, answer: () => void): void {
    call.answer = answer
    let due = 0
    for (const { answer: next } of this.#calls) {
      if (next === undefined) break
      next()
      due++
    }
    if (due > 0) this.#calls.splice(0, due)
  }
}

interface Call {
  /** set once there is a result */
  answer: (() => void) | undefined
}
