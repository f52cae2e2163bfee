import type { JsonValue } from '@leitstand/contract/common'
import type { StateMetric, StateOperation } from '@leitstand/contract/rules'
import { ExactSum, isExact, numbersOf, reduceNumbers, SortedNumbers, toNumber } from '../../series/index.ts'
import { metricKinds } from '../metrics/index.ts'
import { isLong } from '../metrics/long.ts'
import { type LookbackAnswer, windowValuesMax } from '../metrics/store.ts'
import type { History } from './history.ts'

const minuteMs = 60_000

const sorted: ReadonlySet<StateOperation> = new Set(['min', 'max', 'median'])
const summed: ReadonlySet<StateOperation> = new Set(['sum', 'avg'])

type Part = Pick<StateMetric, 'operation' | 'lastMinutes' | 'lastValues'>

/**
 * The values that a metric looks at, moved forward in time: what comes in is added and what goes out is taken away again. Its
 * answers are those of `lookAt`.
 */
export class Window {
  readonly #metric: Part
  readonly #history: History
  readonly #isSorted: boolean
  readonly #isSummed: boolean
  /** places of the oldest value in the window, and after the newest one */
  #low = 0
  #high = 0
  #numbers = 0
  /** numbers that cannot be added exactly */
  #huge = 0
  readonly #sum = new ExactSum()
  readonly #sorted = new SortedNumbers()
  /** places of the oldest and newest number, if it is in the window */
  #firstNumber = 0
  #lastNumber = -1

  constructor(metric: Part, history: History) {
    this.#metric = metric
    this.#history = history
    this.#isSorted = sorted.has(metric.operation)
    this.#isSummed = summed.has(metric.operation)
  }

  /** Moves the end of the window to a time, not before that of the last call. */
  moveTo(timeMs: number): void {
    const { lastMinutes, lastValues } = widthOf(this.#metric)
    const history = this.#history
    while (this.#high < history.end && history.timeAt(this.#high) <= timeMs) this.#add(this.#high++)
    const sinceMs = timeMs - lastMinutes * minuteMs
    while (
      this.#low < this.#high &&
      (this.#high - this.#low > lastValues || history.timeAt(this.#low) <= sinceMs)
    )
      this.#remove(this.#low++)
  }

  /** The value of the metric at the time the window was moved to. */
  answer(): LookbackAnswer {
    const { operation } = this.#metric
    if (this.#low === this.#high) return { value: operation === 'count' ? 0 : null, tooMany: false }
    const value = this.#value(operation)
    return isTooMany(this.#metric, this.#high - this.#low)
      ? { value: null, tooMany: true }
      : { value, tooMany: false }
  }

  #value(operation: StateOperation): JsonValue {
    switch (operation) {
      case 'latest':
        return this.#history.valueAt(this.#high - 1)
      case 'first':
        return this.#history.valueAt(this.#low)
      case 'count':
        return this.#high - this.#low
      case 'difference':
        return this.#difference()
      default:
        return this.#numbers === 0 ? null : this.#reduced(operation)
    }
  }

  #reduced(operation: 'avg' | 'min' | 'max' | 'sum' | 'median'): number {
    switch (operation) {
      case 'sum':
        return this.#total()
      case 'avg':
        return this.#total() / this.#numbers
      case 'min':
        return this.#sorted.min()
      case 'max':
        return this.#sorted.max()
      case 'median':
        return this.#sorted.median()
    }
  }

  #total(): number {
    if (this.#huge === 0) return this.#sum.value()
    return reduceNumbers('sum', numbersOf(valuesOf(this.#history, this.#low, this.#high))) as number
  }

  #difference(): number | null {
    if (this.#lastNumber < this.#low) return null
    this.#firstNumber = Math.max(this.#firstNumber, this.#low)
    while (this.#numberAt(this.#firstNumber) === undefined) this.#firstNumber++
    return (this.#numberAt(this.#lastNumber) as number) - (this.#numberAt(this.#firstNumber) as number)
  }

  #numberAt(place: number): number | undefined {
    return toNumber(this.#history.valueAt(place))
  }

  #add(place: number): void {
    const number = this.#numberAt(place)
    if (number === undefined) return
    this.#numbers++
    this.#lastNumber = place
    if (this.#isSorted) this.#sorted.add(number)
    if (!this.#isSummed) return
    if (isExact(number)) this.#sum.add(number)
    else this.#huge++
  }

  #remove(place: number): void {
    const number = this.#numberAt(place)
    if (number === undefined) return
    this.#numbers--
    if (this.#isSorted) this.#sorted.remove(number)
    if (!this.#isSummed) return
    if (isExact(number)) this.#sum.add(-number)
    else this.#huge--
  }
}

/** The value of a metric at a time, from all values of its window. */
export function lookAt(metric: Part, history: History, timeMs: number): LookbackAnswer {
  const { low, high } = placesAt(metric, history, timeMs)
  const { operation } = metric
  if (low === high) return { value: operation === 'count' ? 0 : null, tooMany: false }
  if (isTooMany(metric, high - low)) return { value: null, tooMany: true }
  return { value: answerOf(operation, history, low, high), tooMany: false }
}

/** Where the window of a metric begins at a time, and the place after its end. */
export function placesAt(metric: Part, history: History, timeMs: number): { low: number; high: number } {
  const { lastMinutes, lastValues } = widthOf(metric)
  const high = history.after(timeMs)
  return { low: Math.max(history.after(timeMs - lastMinutes * minuteMs), high - lastValues), high }
}

function answerOf(operation: StateOperation, history: History, low: number, high: number): JsonValue {
  if (operation === 'latest') return history.valueAt(high - 1)
  if (operation === 'first') return history.valueAt(low)
  if (operation === 'count') return high - low
  const numbers = numbersOf(valuesOf(history, low, high))
  if (operation === 'difference')
    return numbers.length === 0 ? null : (numbers.at(-1) as number) - (numbers[0] as number)
  return reduceNumbers(operation, numbers)
}

function valuesOf(history: History, low: number, high: number): JsonValue[] {
  return Array.from({ length: high - low }, (_, index) => history.valueAt(low + index))
}

/** How far a metric looks back, at each time: in minutes and in values. */
export function widthOf({ operation, lastMinutes, lastValues }: Part): {
  lastMinutes: number
  lastValues: number
} {
  const isNewest = 'value' in metricKinds[operation].look && metricKinds[operation].isCurrent
  return {
    lastMinutes: lastMinutes ?? Number.POSITIVE_INFINITY,
    lastValues: isNewest ? 1 : (lastValues ?? Number.POSITIVE_INFINITY),
  }
}

/** As for a rule that runs: a window that is read value by value must not have too many. */
function isTooMany(metric: Part, count: number): boolean {
  const { operation, lastMinutes, lastValues } = metric
  if (count <= windowValuesMax || 'value' in metricKinds[operation].look) return false
  const span = { since: new Date(0), until: new Date((lastMinutes ?? 0) * minuteMs) }
  return !isLong({ stateId: 0, operation, lastValues: lastValues ?? null, ...span })
}
