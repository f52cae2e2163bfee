import type { JsonValue } from '@leitstand/contract/common'
import type { AggregationMethod } from '@leitstand/contract/series'
import { inOrderOfSources, type TimedValue, toNumber } from '../aggregate.ts'
import { ExactSum, isExact, sumOf } from './exactSum.ts'
import { SortedNumbers } from './sortedNumbers.ts'

/** Initial values taken without a break; some milliseconds. */
const pieceMax = 2_000

/**
 * An aggregate that is updated value by value, without reading all sources again. Its result is exactly the
 * one of `combine` for the current values of the sources.
 */
export class RunningAggregate {
  readonly #method: AggregationMethod
  #sourceIds: readonly number[]
  readonly #placeOf = new Map<number, number>()
  readonly #current = new Map<number, TimedValue>()
  /** source of the newest value; the last one in the order of sources wins a tie */
  #newest: number | undefined
  readonly #sum = new ExactSum()
  #numbers = 0
  /** numbers that cannot be added exactly */
  #huge = 0
  #sorted = new SortedNumbers()

  /** @param current initial values of the sources */
  constructor(
    method: AggregationMethod,
    sourceIds: readonly number[],
    current: ReadonlyMap<number, TimedValue>,
  ) {
    this.#method = method
    this.#sourceIds = sourceIds
    for (const [place, id] of sourceIds.entries()) this.#placeOf.set(id, place)
    for (const _ of this.#filling(current));
  }

  /** The same with many sources, in pieces. @param turn lets others work between two pieces */
  static async inPieces(
    method: AggregationMethod,
    sourceIds: readonly number[],
    current: ReadonlyMap<number, TimedValue>,
    turn: () => Promise<unknown>,
  ): Promise<RunningAggregate> {
    const running = new RunningAggregate(method, [], new Map())
    running.#sourceIds = sourceIds
    for (const [place, id] of sourceIds.entries()) {
      running.#placeOf.set(id, place)
      if (place % pieceMax === pieceMax - 1) await turn()
    }
    for (const _ of running.#filling(current)) await turn()
    return running
  }

  /** Takes the initial values; may be interrupted after each piece. */
  *#filling(current: ReadonlyMap<number, TimedValue>): Generator<void> {
    const numbers: number[] = []
    for (const [place, id] of this.#sourceIds.entries()) {
      const value = current.get(id)
      if (value !== undefined) {
        this.#take(id, value, this.#isSorted)
        const number = this.#isSorted ? toNumber(value.value) : undefined
        if (number !== undefined) numbers.push(number)
      }
      if (place % pieceMax === pieceMax - 1) yield
    }
    // Sorting all of them at once is cheaper than adding them one by one.
    if (numbers.length > 0) this.#sorted = new SortedNumbers(numbers)
  }

  get #isSorted(): boolean {
    return this.#method === 'min' || this.#method === 'max' || this.#method === 'median'
  }

  /**
   * Sets the value of a source. A value older than the current one is ignored.
   * @param replaces whether it replaces a value with the same time
   * @returns whether the aggregate may have changed
   */
  set(sourceId: number, value: TimedValue, replaces = false): boolean {
    if (!this.#placeOf.has(sourceId)) return false
    const known = this.#current.get(sourceId)
    if (known !== undefined) {
      if (known.time > value.time) return false
      if (known.time.getTime() === value.time.getTime() && !replaces) return false
      this.#drop(known)
    }
    this.#take(sourceId, value, false)
    return true
  }

  /** The current value, with the time of the newest source; null when there is nothing to combine. */
  result(): TimedValue | null {
    const newest = this.#newest === undefined ? undefined : this.#current.get(this.#newest)
    const value = newest === undefined ? null : this.#value(newest)
    return newest === undefined || value === null ? null : { value, time: newest.time }
  }

  /** Current values of the sources in their order. */
  inputs(): (TimedValue & { stateId: number })[] {
    return inOrderOfSources(this.#sourceIds, this.#current)
  }

  #take(sourceId: number, value: TimedValue, isSortedIn: boolean): void {
    this.#current.set(sourceId, value)
    if (this.#isNewest(sourceId, value)) this.#newest = sourceId
    const number = toNumber(value.value)
    if (number === undefined) return
    this.#numbers++
    if (this.#isSorted) {
      if (!isSortedIn) this.#sorted.add(number)
    } else if (isExact(number)) this.#sum.add(number)
    else this.#huge++
  }

  #drop({ value }: TimedValue): void {
    const number = toNumber(value)
    if (number === undefined) return
    this.#numbers--
    if (this.#isSorted) this.#sorted.remove(number)
    else if (isExact(number)) this.#sum.add(-number)
    else this.#huge--
  }

  #isNewest(sourceId: number, { time }: TimedValue): boolean {
    const best = this.#newest === undefined ? undefined : this.#current.get(this.#newest)
    if (best === undefined || time > best.time) return true
    const place = (id: number) => this.#placeOf.get(id) as number
    return time.getTime() === best.time.getTime() && place(sourceId) >= place(this.#newest as number)
  }

  #value(newest: TimedValue): JsonValue | null {
    if (this.#method === 'count') return this.#current.size
    if (this.#method === 'latest') return newest.value
    if (this.#numbers === 0) return null
    switch (this.#method) {
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
    return sumOf(this.inputs().flatMap(({ value }) => toNumber(value) ?? []))
  }
}
