import { placeAfter } from './sortedTimes.ts'
import { emptySummary, type Numbers, type Taken, type WindowSummary } from './types.ts'

/** Values beyond its width that a window keeps before it is cut. */
const slack = 64

/** How far a window reaches back: by values, by time, or both. */
export interface Width {
  values: number
  /** milliseconds */
  ms: number
}

/**
 * The last numbers of a state, one by one. It can look back from any time since which it knows all of them.
 */
export class RawWindow {
  readonly #width: Width
  #times: number[] = []
  #numbers: number[] = []
  /** every number since then is known, this time included */
  #fromMs: number

  /**
   * @param known the newest numbers of the state
   * @param fromMs every number since then is among them; `-Infinity`: there are no others
   */
  constructor(width: Width, known: Numbers, fromMs: number) {
    this.#width = width
    this.#times = [...known.times]
    this.#numbers = [...known.numbers]
    this.#fromMs = fromMs
  }

  /** How many numbers it holds. */
  get size(): number {
    return this.#times.length
  }

  add(timeMs: number, number: number): Taken {
    const place = placeAfter(this.#times, timeMs)
    if (place > 0 && this.#times[place - 1] === timeMs)
      return this.#numbers[place - 1] === number ? 'known' : 'unclear'
    if (timeMs < this.#fromMs) return 'older'
    this.#times.splice(place, 0, timeMs)
    this.#numbers.splice(place, 0, number)
    this.#cut()
    return 'taken'
  }

  /** What the numbers after `untilMs` - width up to `untilMs` amount to; null when it does not know all of them. */
  at(untilMs: number): WindowSummary | null {
    const range = this.#range(untilMs)
    if (range === null) return null
    const { low, high } = range
    if (low >= high) return emptySummary
    let [sum, min, max] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (let place = low; place < high; place++) {
      const number = this.#numbers[place] as number
      sum += number
      if (number < min) min = number
      if (number > max) max = number
    }
    const edge = (place: number) => [this.#times[place] as number, this.#numbers[place] as number] as const
    return {
      numbers: high - low,
      texts: 0,
      sum,
      min,
      max,
      firstNumber: edge(low),
      lastNumber: edge(high - 1),
    }
  }

  /** The numbers themselves; null when it does not know all of them. */
  numbersAt(untilMs: number): number[] | null {
    const range = this.#range(untilMs)
    return range === null ? null : this.#numbers.slice(range.low, range.high)
  }

  #range(untilMs: number): { low: number; high: number } | null {
    const { values, ms } = this.#width
    const high = placeAfter(this.#times, untilMs)
    const sinceMs = untilMs - ms
    const low = Math.max(placeAfter(this.#times, sinceMs), high - values)
    const isWhole = high - low === values || sinceMs >= this.#fromMs - 1
    return isWhole ? { low, high } : null
  }

  /** Forgets what is no longer needed, now and then. */
  #cut(): void {
    const { values, ms } = this.#width
    const newestMs = this.#times.at(-1) as number
    const needed = Math.max(placeAfter(this.#times, newestMs - ms), this.#times.length - values)
    if (needed <= slack + (this.#times.length >> 3)) return
    const cut = needed - slack
    this.#times.splice(0, cut)
    this.#numbers.splice(0, cut)
    this.#fromMs = this.#times[0] as number
  }
}
