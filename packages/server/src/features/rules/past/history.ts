import type { JsonValue } from '@leitstand/contract/common'

/** Forgotten values are removed when there are at least this many of them. */
const compactMin = 1_024
/** A text counts as one value for so many characters. */
const charsPerValue = 16

/**
 * The values of one state, oldest first, as far back as they are needed. They are addressed by their place in the whole
 * history, which stays the same when older ones are forgotten.
 */
export class History {
  #times: number[] = []
  #values: JsonValue[] = []
  /** place of the first entry of the arrays */
  #base = 0
  /** place of the oldest value that is kept */
  #first = 0
  /** how much memory the values need, in numbers */
  weight = 0

  /** @param timeMs later than all before */
  add(timeMs: number, value: JsonValue): void {
    this.#times.push(timeMs)
    this.#values.push(value)
    this.weight += weightOf(value)
  }

  /** Place of the oldest value that is kept. */
  get first(): number {
    return this.#first
  }

  /** Place after the newest value. */
  get end(): number {
    return this.#base + this.#times.length
  }

  timeAt(place: number): number {
    return this.#times[place - this.#base] as number
  }

  valueAt(place: number): JsonValue {
    return this.#values[place - this.#base] as JsonValue
  }

  /** The place after the newest value that is not later than this. */
  after(timeMs: number): number {
    let [low, high] = [this.#first, this.end]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.timeAt(middle) <= timeMs) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Forgets the values before a place. */
  forget(place: number): void {
    for (; this.#first < place; this.#first++) this.weight -= weightOf(this.valueAt(this.#first))
    const gone = this.#first - this.#base
    if (gone < compactMin || gone * 2 < this.#times.length) return
    this.#times = this.#times.slice(gone)
    this.#values = this.#values.slice(gone)
    this.#base = this.#first
  }
}

function weightOf(value: JsonValue): number {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return 1
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return 1 + Math.ceil(text.length / charsPerValue)
}
