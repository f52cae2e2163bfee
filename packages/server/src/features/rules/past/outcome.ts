import type { JsonValue } from '@leitstand/contract/common'
import { type PastLine, type PastMoment, pastLimits } from '@leitstand/contract/rules/past'
import type { PastStep } from './simulation.ts'

/**
 * Characters that the moments of one line may have as JSON; the newest ones keep their values. Two lines are checked and written at
 * once when somebody looks at the result.
 */
const charsMax = 150_000

export interface Period {
  fromMs: number
  toMs: number
}

/** The stretch of a period that a time belongs to. */
export function stretchOf({ fromMs, toMs }: Period, timeMs: number): number {
  const share = (timeMs - fromMs) / Math.max(1, toMs - fromMs)
  return Math.min(pastLimits.stretches - 1, Math.max(0, Math.floor(share * pastLimits.stretches)))
}

export function emptyStretches(): number[] {
  return Array<number>(pastLimits.stretches).fill(0)
}

/** Counts the evaluations of one rule, and keeps the newest moments at which it fired. */
export class Outcome {
  readonly #period: Period
  readonly #results = { fired: 0, throttled: 0, not_met: 0, outside_times: 0, aborted: 0, error: 0 }
  readonly #fired = emptyStretches()
  readonly #throttled = emptyStretches()
  readonly #moments: PastStep[] = []
  #error: string | null = null

  constructor(period: Period) {
    this.#period = period
  }

  record(step: PastStep): void {
    const { result, timeMs, error } = step
    this.#results[result]++
    if (result === 'error') this.#error ??= error
    if (result !== 'fired' && result !== 'throttled') return
    const stretches = result === 'fired' ? this.#fired : this.#throttled
    const at = stretchOf(this.#period, timeMs)
    stretches[at] = (stretches[at] as number) + 1
    if (result !== 'fired') return
    this.#moments.push(step)
    // Removing the first of an array for each would move all others.
    if (this.#moments.length >= pastLimits.momentsMax * 2) this.#moments.splice(0, pastLimits.momentsMax)
  }

  line(): PastLine {
    const moments = this.#moments.slice(-pastLimits.momentsMax)
    return {
      results: { ...this.#results },
      fired: [...this.#fired],
      throttled: [...this.#throttled],
      moments: withinChars(moments.map(toMoment)),
      error: this.#error,
    }
  }
}

function toMoment({ timeMs, cause, inputs, branch }: PastStep): PastMoment {
  return {
    at: new Date(timeMs).toISOString(),
    cause,
    inputs: { ...inputs },
    branch: branch as unknown as JsonValue,
  }
}

/** Leaves out the values of the oldest moments where all together would be too large. */
function withinChars(moments: readonly PastMoment[]): PastMoment[] {
  let chars = 0
  return moments
    .toReversed()
    .map((moment) => {
      if (chars <= charsMax) chars += JSON.stringify(moment).length
      return chars <= charsMax ? moment : { ...moment, inputs: null, branch: null }
    })
    .toReversed()
}

interface Extremes {
  low: [number, number]
  high: [number, number]
}

/** Thins the numbers of a period to the smallest and largest one of each of its parts, as they come. */
export class ThinChart {
  readonly #period: Period
  readonly #parts = new Map<number, Extremes>()

  constructor(period: Period) {
    this.#period = period
  }

  add(timeMs: number, number: number): void {
    const { fromMs, toMs } = this.#period
    const count = pastLimits.pointsMax / 2
    const part = Math.min(count - 1, Math.floor(((timeMs - fromMs) / Math.max(1, toMs - fromMs)) * count))
    const known = this.#parts.get(part)
    const point: [number, number] = [timeMs, number]
    if (known === undefined) this.#parts.set(part, { low: point, high: point })
    else if (number < known.low[1]) known.low = point
    else if (number > known.high[1]) known.high = point
  }

  points(): [number, number][] {
    return [...this.#parts.values()].flatMap(({ low, high }) => {
      if (low === high) return [low]
      return low[0] < high[0] ? [low, high] : [high, low]
    })
  }
}
