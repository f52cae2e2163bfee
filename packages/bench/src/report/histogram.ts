const smallestMs = 0.001
const largestMs = 1_000_000
/** Width of a bucket: a percentile is at most this much too high. */
const growth = 1.01
const bucketCount = Math.ceil(Math.log(largestMs / smallestMs) / Math.log(growth)) + 2

/** Durations in bounded memory: percentiles are accurate to 1 %. */
export class Histogram {
  readonly #buckets = new Uint32Array(bucketCount)
  #count = 0
  #max = 0

  get count(): number {
    return this.#count
  }

  /** The longest one, exactly; 0 without any. */
  get max(): number {
    return this.#max
  }

  /** @param ms at least 0; beyond 1 000 s it counts as 1 000 s */
  add(ms: number): void {
    const index = Math.ceil(Math.log(Math.max(ms, smallestMs) / smallestMs) / Math.log(growth))
    const bucket = Math.min(index, bucketCount - 1)
    this.#buckets[bucket] = (this.#buckets[bucket] as number) + 1
    this.#count++
    if (ms > this.#max) this.#max = ms
  }

  /** Adds all of another one. */
  addAll(other: Histogram): void {
    for (const [index, count] of other.#buckets.entries())
      this.#buckets[index] = (this.#buckets[index] as number) + count
    this.#count += other.#count
    this.#max = Math.max(this.#max, other.#max)
  }

  /**
   * The duration below which this share of all lies, e.g. 0.99.
   * @returns ms, or null without any
   */
  percentile(share: number): number | null {
    if (this.#count === 0) return null
    const rank = Math.max(1, Math.ceil(share * this.#count))
    let seen = 0
    for (const [index, count] of this.#buckets.entries()) {
      seen += count
      if (seen >= rank) return Math.min(smallestMs * growth ** index, this.#max)
    }
    return this.#max
  }
}
