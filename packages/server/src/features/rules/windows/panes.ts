import { placeAfter } from './sortedTimes.ts'
import { emptySummary, type Numbers, type Taken, type WindowSummary } from './types.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Lengths of panes. Those of roll-ups are among them, so that whole panes can be read from these. */
const lengthsMs = [minuteMs, 5 * minuteMs, hourMs, 6 * hourMs, dayMs, 7 * dayMs]
/** Panes of a window, unless the longest ones are too short. */
const panesWanted = 32
/** Numbers that a window keeps one by one in all its panes. */
const numbersKept = 512

/** The length of the panes of a window. */
export function paneLength(windowMs: number): number {
  return lengthsMs.find((lengthMs) => windowMs / lengthMs <= panesWanted) ?? 7 * dayMs
}

/** Columns of a pane in the table. */
const column = { count: 0, sum: 1, min: 2, max: 3, firstTime: 4, first: 5, lastTime: 6, last: 7 } as const
const columns = 8

/** A pane as the database summarises it. */
export interface PaneSummary {
  startMs: number
  numbers: number
  sum: number
  min: number
  max: number
  first: readonly [timeMs: number, number: number]
  last: readonly [timeMs: number, number: number]
}

/**
 * The numbers of a state in a window of time. Whole panes in its middle are summaries; numbers are kept one by one where
 * the window can begin or end. So a day of minute values needs about as much memory as two hours of them.
 */
export class PaneWindow {
  readonly windowMs: number
  readonly lengthMs: number
  /** a ring: a pane is in the row of its number modulo the rows */
  readonly #table: Float64Array
  readonly #rows: number
  /** numbers of panes that are known one by one, by pane */
  readonly #raw = new Map<number, { times: number[]; numbers: number[] }>()
  /** number of the oldest and the newest pane that it knows; a pane is its start divided by its length */
  #oldest: number
  #newest: number
  #count = 0

  /**
   * @param fromMs all numbers since then are to be added, or given as summaries; a start of a pane
   * @param untilMs of the newest number
   */
  constructor(windowMs: number, fromMs: number, untilMs: number) {
    this.windowMs = windowMs
    this.lengthMs = paneLength(windowMs)
    // The window itself, where it begins, and a pane before it is moved on.
    this.#rows = Math.ceil(windowMs / this.lengthMs) + 3
    this.#table = new Float64Array(this.#rows * columns)
    this.#newest = this.paneOf(untilMs)
    this.#oldest = Math.max(Math.round(fromMs / this.lengthMs), this.#newest - this.#rows + 1)
    for (let pane = this.#oldest; pane <= this.#newest; pane++) this.#clear(pane)
  }

  paneOf(timeMs: number): number {
    return Math.floor(timeMs / this.lengthMs)
  }

  /** Memory it needs, about, in bytes. */
  get bytes(): number {
    let numbers = 0
    for (const { times } of this.#raw.values()) numbers += times.length
    return this.#table.byteLength + 16 * numbers + 160 * this.#raw.size
  }

  /** Sets a pane that is known as a summary. */
  set({ startMs, numbers, sum, min, max, first, last }: PaneSummary): void {
    const pane = this.paneOf(startMs)
    if (pane < this.#oldest || pane > this.#newest) return
    this.#raw.delete(pane)
    const at = this.#at(pane)
    this.#count += numbers - (this.#table[at] as number)
    this.#table.set([numbers, sum, min, max, ...first, ...last], at)
  }

  /** Sets a pane with all its numbers. */
  setRaw(startMs: number, { times, numbers }: Numbers): void {
    const pane = this.paneOf(startMs)
    if (pane < this.#oldest || pane > this.#newest) return
    this.#count -= this.#table[this.#at(pane)] as number
    this.#clear(pane)
    this.#raw.set(pane, { times: [...times], numbers: [...numbers] })
    for (const [index, timeMs] of times.entries()) this.#summarise(pane, timeMs, numbers[index] as number)
  }

  add(timeMs: number, number: number): Taken {
    const pane = this.paneOf(timeMs)
    if (pane < this.#oldest) return 'older'
    if (pane > this.#newest) this.#moveTo(pane)
    const raw = this.#raw.get(pane)
    if (raw === undefined) return 'unclear'
    const place = placeAfter(raw.times, timeMs)
    if (place > 0 && raw.times[place - 1] === timeMs)
      return raw.numbers[place - 1] === number ? 'known' : 'unclear'
    raw.times.splice(place, 0, timeMs)
    raw.numbers.splice(place, 0, number)
    this.#summarise(pane, timeMs, number)
    this.#forgetNumbers()
    return 'taken'
  }

  /**
   * The panes whose numbers it must know one by one to look back from `untilMs`; `[]` when it knows all it needs. null when it
   * cannot look back from then.
   */
  missing(untilMs: number): readonly { startMs: number; endMs: number }[] | null {
    const sinceMs = untilMs - this.windowMs
    if (this.paneOf(sinceMs + 1) < this.#oldest) return null
    return [...new Set([this.paneOf(sinceMs), this.paneOf(untilMs)])]
      .filter((pane) => this.#isCut(pane, sinceMs, untilMs) && !this.#raw.has(pane))
      .map((pane) => ({ startMs: pane * this.lengthMs, endMs: (pane + 1) * this.lengthMs }))
  }

  /** The numbers after `untilMs` - window up to `untilMs`; null when it does not know all of them. */
  at(untilMs: number): WindowSummary | null {
    if (this.missing(untilMs)?.length !== 0) return null
    const sinceMs = untilMs - this.windowMs
    const total = { numbers: 0, sum: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY }
    let first: readonly [number, number] | null = null
    let last: readonly [number, number] | null = null
    const end = Math.min(this.#newest, this.paneOf(untilMs))
    for (let pane = Math.max(this.#oldest, this.paneOf(sinceMs)); pane <= end; pane++) {
      const part = this.#isCut(pane, sinceMs, untilMs)
        ? partOf(this.#raw.get(pane), sinceMs, untilMs)
        : this.#wholeOf(pane, sinceMs)
      if (part === null) continue
      total.numbers += part.numbers
      total.sum += part.sum
      total.min = Math.min(total.min, part.min)
      total.max = Math.max(total.max, part.max)
      first ??= part.first
      last = part.last
    }
    return total.numbers === 0 ? emptySummary : { ...total, texts: 0, firstNumber: first, lastNumber: last }
  }

  /** Whether some numbers of a pane are within the window and some are not. */
  #isCut(pane: number, sinceMs: number, untilMs: number): boolean {
    if (pane < this.#oldest || pane > this.#newest) return false
    const at = this.#at(pane)
    if (this.#table[at] === 0) return false
    const firstMs = this.#table[at + column.firstTime] as number
    const lastMs = this.#table[at + column.lastTime] as number
    return (firstMs <= sinceMs && lastMs > sinceMs) || (firstMs <= untilMs && lastMs > untilMs)
  }

  #wholeOf(pane: number, sinceMs: number): Omit<PaneSummary, 'startMs'> | null {
    const [numbers, sum, min, max, firstMs, first, lastMs, last] = this.#table.subarray(
      this.#at(pane),
      this.#at(pane) + columns,
    ) as unknown as [number, number, number, number, number, number, number, number]
    if (numbers === 0 || lastMs <= sinceMs) return null
    return { numbers, sum, min, max, first: [firstMs, first], last: [lastMs, last] }
  }

  #at(pane: number): number {
    return (((pane % this.#rows) + this.#rows) % this.#rows) * columns
  }

  #clear(pane: number): void {
    this.#table.fill(0, this.#at(pane), this.#at(pane) + columns)
    this.#raw.set(pane, { times: [], numbers: [] })
  }

  #moveTo(pane: number): void {
    const oldest = Math.max(this.#oldest, pane - this.#rows + 1)
    for (; this.#oldest < oldest; this.#oldest++) {
      if (this.#oldest > this.#newest) break
      this.#count -= this.#table[this.#at(this.#oldest)] as number
      this.#raw.delete(this.#oldest)
    }
    this.#oldest = oldest
    for (let next = Math.max(this.#newest + 1, oldest); next <= pane; next++) this.#clear(next)
    this.#newest = pane
  }

  #summarise(pane: number, timeMs: number, number: number): void {
    const [table, at] = [this.#table, this.#at(pane)]
    const count = table[at] as number
    table[at] = count + 1
    table[at + column.sum] = (table[at + column.sum] as number) + number
    if (count === 0 || number < (table[at + column.min] as number)) table[at + column.min] = number
    if (count === 0 || number > (table[at + column.max] as number)) table[at + column.max] = number
    if (count === 0 || timeMs < (table[at + column.firstTime] as number)) {
      table[at + column.firstTime] = timeMs
      table[at + column.first] = number
    }
    if (count === 0 || timeMs > (table[at + column.lastTime] as number)) {
      table[at + column.lastTime] = timeMs
      table[at + column.last] = number
    }
    this.#count++
  }

  /** In a full window, keeps single numbers only of the newest two panes and of the one where it begins. */
  #forgetNumbers(): void {
    if (this.#count <= numbersKept || this.#raw.size <= 3) return
    const begin = this.paneOf(
      (this.#table[this.#at(this.#newest) + column.lastTime] as number) - this.windowMs,
    )
    for (const [pane, { times }] of this.#raw)
      if (pane !== begin && pane < this.#newest - 1 && times.length > 0) this.#raw.delete(pane)
  }
}

function partOf(
  raw: Numbers | undefined,
  sinceMs: number,
  untilMs: number,
): Omit<PaneSummary, 'startMs'> | null {
  if (raw === undefined) return null
  const { times, numbers } = raw
  const [low, high] = [placeAfter(times, sinceMs), placeAfter(times, untilMs)]
  if (low >= high) return null
  const part = { numbers: high - low, sum: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY }
  for (let place = low; place < high; place++) {
    const number = numbers[place] as number
    part.sum += number
    if (number < part.min) part.min = number
    if (number > part.max) part.max = number
  }
  return {
    ...part,
    first: [times[low] as number, numbers[low] as number],
    last: [times[high - 1] as number, numbers[high - 1] as number],
  }
}
