/** Seeded random numbers (mulberry32): the same seed gives the same faults. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }

  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  /** One of them; undefined when there are none. */
  pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.next() * items.length)]
  }

  /** The same items in another order. */
  shuffled<T>(items: readonly T[]): T[] {
    const rest = [...items]
    const result: T[] = []
    while (rest.length > 0) result.push(...rest.splice(Math.floor(this.next() * rest.length), 1))
    return result
  }
}
