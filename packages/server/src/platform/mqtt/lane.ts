/**
 * Work on the messages of one sender: prepared side by side, begun in the order of arrival, answered in that order too
 * (MQTT 3.1.1, 4.6: acknowledgements go out in the order of the messages).
 */
export class Lane {
  #begun: Promise<void> = Promise.resolve()
  #answered: Promise<void> = Promise.resolve()

  /**
   * @param prepare begins at once
   * @param begin is called after every earlier `begin` of the lane has been called
   * @param admit is waited for in between, e.g. for room in a queue
   * @returns what `begin` answered, not before the earlier calls have their answer
   */
  async run<T, R>(
    prepare: () => Promise<T> | T,
    begin: (prepared: T) => Promise<R>,
    admit?: () => Promise<void>,
  ): Promise<R> {
    const begunBefore = this.#begun
    const answeredBefore = this.#answered
    const begun = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    this.#begun = begun.promise
    this.#answered = answered.promise
    try {
      let result: Promise<R>
      try {
        const prepared = await prepare()
        await begunBefore
        await admit?.()
        result = begin(prepared)
      } finally {
        await begunBefore
        begun.resolve()
      }
      return await result
    } finally {
      await answeredBefore
      answered.resolve()
    }
  }
}
