/** A request that waits for a place. */
interface Waiting {
  given(place: number | null): void
  timer: NodeJS.Timeout
}

interface PlacesOptions {
  max: number
  /** number of the first one */
  first: number
  waitingMax: number
  waitingMs: number
  /** ends the least recently used idle process; its place is given back some time later */
  endIdle(): void
}

/**
 * The places for processes: there are never more processes than places, and waiters get the next free one.
 */
export class Places {
  readonly #options: PlacesOptions
  readonly #free: number[]
  readonly #waiting: Waiting[] = []

  constructor(options: PlacesOptions) {
    this.#options = options
    this.#free = Array.from({ length: options.max }, (_, index) => options.first + index)
  }

  /** Whether anything is waiting for a place. */
  get isWanted(): boolean {
    return this.#waiting.length > 0
  }

  /** @returns a place, or null when too many are waiting or on a timeout */
  take(): Promise<number | null> {
    const place = this.#free.shift()
    if (place !== undefined) return Promise.resolve(place)
    if (this.#waiting.length >= this.#options.waitingMax) return Promise.resolve(null)
    return new Promise((given) => {
      const waiting: Waiting = {
        given,
        timer: setTimeout(() => this.#giveUp(waiting), this.#options.waitingMs),
      }
      waiting.timer.unref()
      this.#waiting.push(waiting)
      this.#options.endIdle()
    })
  }

  giveBack(place: number): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free.push(place)
    else {
      clearTimeout(next.timer)
      next.given(place)
    }
  }

  /** Gives out no more places. */
  close(): void {
    for (const waiting of this.#waiting.splice(0)) {
      clearTimeout(waiting.timer)
      waiting.given(null)
    }
  }

  #giveUp(waiting: Waiting): void {
    const at = this.#waiting.indexOf(waiting)
    if (at < 0) return
    this.#waiting.splice(at, 1)
    waiting.given(null)
  }
}
