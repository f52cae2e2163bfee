/** Limits of a batcher. */
export interface BatcherLimits {
  /** items of one call of `store` */
  batchMax: number
  /** items waiting, beyond the batch under way, from which `hasRoom` is false */
  waitingMax: number
}

/** Thrown by `push` when the queue is full; sources ask `hasRoom` first and stop reading instead. */
export class BatcherFull extends Error {
  constructor(waitingMax: number) {
    super(`more than ${waitingMax} items are waiting to be stored`)
    this.name = 'BatcherFull'
  }
}

interface Waiting<T, R> {
  item: T
  stored(result: R): void
  failed(error: unknown): void
}

/**
 * Collects items into batches: while one batch is being stored, the next one fills.
 * `push` resolves when the item is stored, with what `store` returned for it: acknowledged means stored.
 */
export class Batcher<T, R = void> {
  readonly #store: (items: T[]) => Promise<readonly R[]>
  readonly #limits: BatcherLimits
  #waiting: Waiting<T, R>[] = []
  #run: Promise<void> | undefined
  #roomWaiters: (() => void)[] = []

  /**
   * @param store stores a batch and answers with one result per item, in order; when it throws, the whole batch fails
   */
  constructor(limits: BatcherLimits, store: (items: T[]) => Promise<readonly R[]>) {
    this.#limits = limits
    this.#store = store
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Whether another item fits; when false, the source should stop reading. */
  get hasRoom(): boolean {
    return this.#waiting.length < this.#limits.waitingMax
  }

  /** Resolves as soon as there is room. */
  async room(): Promise<void> {
    while (!this.hasRoom) await new Promise<void>((resolve) => this.#roomWaiters.push(resolve))
  }

  /**
   * @returns what `store` answered for this item
   * @throws BatcherFull, or what `store` threw
   */
  push(item: T): Promise<R> {
    if (!this.hasRoom) return Promise.reject(new BatcherFull(this.#limits.waitingMax))
    return new Promise<R>((stored, failed) => {
      this.#waiting.push({ item, stored, failed })
      this.#run ??= this.#storeAll().finally(() => {
        this.#run = undefined
      })
    })
  }

  /** Resolves when nothing waits any more. Failures have gone to those who pushed. */
  async drain(): Promise<void> {
    while (this.#run) await this.#run
  }

  async #storeAll(): Promise<void> {
    // Let everything that arrives in the same turn of the event loop join the first batch.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#limits.batchMax)
      this.#makeRoom()
      try {
        const results = await this.#store(batch.map(({ item }) => item))
        if (results.length !== batch.length)
          throw new Error(`${results.length} results for ${batch.length} items`)
        for (const [index, { stored }] of batch.entries()) stored(results[index] as R)
      } catch (error) {
        for (const { failed } of batch) failed(error)
      }
    }
  }

  #makeRoom(): void {
    const waiters = this.#roomWaiters
    this.#roomWaiters = []
    for (const waiter of waiters) waiter()
  }
}
