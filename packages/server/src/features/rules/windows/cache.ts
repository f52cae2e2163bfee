import { performance } from 'node:perf_hooks'
import type { JsonValue } from '@leitstand/contract/common'
import type { StateOperation } from '@leitstand/contract/rules'
import type { ValuesStored } from '../../../topics/valuesStored.ts'
import { metricKinds } from '../metrics/index.ts'
import type { Lookback, LookbackAnswer } from '../metrics/store.ts'
import { PaneWindow } from './panes.ts'
import { RawWindow } from './raw.ts'
import { numbersMax, type Parts, readWindows, type Shape, type Window } from './read.ts'
import { readStretches, type Stretch } from './store.ts'
import type { Numbers } from './types.ts'

/** Memory of all windows, about. */
const bytesMax = 192 * 1024 * 1024

interface Entry {
  stateId: number
  name: string
  shape: Shape
  /** null: it is being read, or was dropped */
  window: Window | null
  /** values that arrive while it is read */
  arrived: [timeMs: number, number: number][]
  ready: Promise<void> | null
  /** its values are no numbers, or too many: it is not kept */
  isUnfit: boolean
  bytes: number
  isDropped: boolean
}

/** A question to a window. */
export interface WindowQuestion extends Lookback {
  /** the event brought a value of this state, so every earlier value of it has been added */
  isFollowed: boolean
}

/**
 * The windows that rules look back on, kept up to date by the values that wake these rules. A window is read from the
 * history once, when a rule first asks for it, and afterwards only where it begins.
 *
 * Everything that could make one differ from the history drops it: a value that replaces another, corrections, states
 * that no rule follows any more, a lost lead. It is then read again.
 */
export class WindowCache {
  readonly #parts: Parts
  readonly #bytesMax: number
  readonly #byState = new Map<number, Entry[]>()
  /** all of them, the one that was used longest ago first */
  readonly #entries = new Set<Entry>()
  #bytes = 0

  constructor(parts: Parts, options: { bytesMax?: number } = {}) {
    this.#parts = parts
    this.#bytesMax = options.bytesMax ?? bytesMax
  }

  /** How many windows there are, and about how much memory they need. */
  get size(): { windows: number; bytes: number } {
    return { windows: this.#entries.size, bytes: this.#bytes }
  }

  /** Adds followed values; those it has already do not count twice. */
  add(events: readonly ValuesStored[]): void {
    if (this.#byState.size === 0) return
    for (const { values } of events) {
      for (const [stateId, , , timeMs, value] of values) {
        for (const entry of [...(this.#byState.get(stateId) ?? [])]) {
          this.#addTo(entry, timeMs, value)
        }
      }
    }
  }

  #addTo(entry: Entry, timeMs: number, value: JsonValue): void {
    if (entry.isUnfit) return
    const number = typeof value === 'boolean' ? Number(value) : value
    if (typeof number !== 'number') this.#drop(entry)
    else if (entry.window === null) entry.arrived.push([timeMs, number])
    else if (entry.window.add(timeMs, number) === 'unclear') this.#drop(entry)
  }

  /** Drops the windows of states; `*`: all. */
  forget(stateIds: Iterable<number> | '*'): void {
    if (stateIds === '*') for (const entry of [...this.#entries]) this.#drop(entry)
    else
      for (const stateId of stateIds)
        for (const entry of [...(this.#byState.get(stateId) ?? [])]) this.#drop(entry)
  }

  /** Answers look backs, in their order; null where the history must be asked. The first answer of a window says how long it was read. */
  async answer(questions: readonly WindowQuestion[]): Promise<(LookbackAnswer | null)[]> {
    const entries = questions.map((question) => this.#entryFor(question))
    const tookUs = new Map<Entry, number>()
    await measure(tookUs, this.#readNew(questions, entries))
    await Promise.all(entries.map((entry) => entry?.ready))
    await measure(tookUs, this.#readBeginnings(questions, entries))
    const answers = questions.map((question, index) => {
      const entry = entries[index]
      const answer = answerOf(question, entry)
      if (answer === null || entry === undefined) return null
      const ofThis = tookUs.get(entry)
      tookUs.delete(entry)
      return ofThis === undefined ? answer : { ...answer, tookUs: ofThis }
    })
    for (const entry of new Set(entries)) if (entry !== undefined) this.#weigh(entry)
    this.#makeRoom()
    return answers
  }

  #entryFor(question: WindowQuestion): Entry | undefined {
    const shape = shapeOf(question)
    if (shape === null) return undefined
    const { stateId } = question
    const name = shape.kind === 'panes' ? `${shape.windowMs}` : `${shape.windowMs} ${shape.values}`
    const known = this.#byState.get(stateId)?.find((entry) => entry.name === name)
    if (known !== undefined) {
      // The most recently used ones are last.
      this.#entries.delete(known)
      this.#entries.add(known)
      return known
    }
    if (!question.isFollowed) return undefined
    const entry: Entry = {
      stateId,
      name,
      shape,
      window: null,
      arrived: [],
      ready: null,
      isUnfit: false,
      bytes: 0,
      isDropped: false,
    }
    this.#entries.add(entry)
    this.#byState.set(stateId, [...(this.#byState.get(stateId) ?? []), entry])
    return entry
  }

  /** Reads the windows that are new. @returns these */
  async #readNew(
    questions: readonly WindowQuestion[],
    entries: readonly (Entry | undefined)[],
  ): Promise<readonly Entry[]> {
    const fresh = new Map<Entry, WindowQuestion>()
    for (const [index, entry] of entries.entries())
      if (entry?.window === null && entry.ready === null && !entry.isUnfit && !fresh.has(entry))
        fresh.set(entry, questions[index] as WindowQuestion)
    if (fresh.size === 0) return []
    const { promise, resolve } = Promise.withResolvers<void>()
    for (const entry of fresh.keys()) entry.ready = promise
    let isRead = false
    try {
      const asked = [...fresh].map(([{ stateId, shape }, { until }]) => ({ stateId, shape, until }))
      const windows = await readWindows(this.#parts, asked)
      for (const [index, entry] of [...fresh.keys()].entries()) this.#begin(entry, windows[index] ?? null)
      isRead = true
    } finally {
      for (const entry of fresh.keys()) {
        entry.ready = null
        entry.arrived = []
        entry.isUnfit = isRead && entry.window === null
        if (!isRead) this.#drop(entry)
      }
      // Other calls ask the history if it failed; the failure is this call's.
      resolve()
    }
    return [...fresh.keys()]
  }

  #begin(entry: Entry, window: Window | null): void {
    if (entry.isDropped) return
    entry.window = window
    for (const [timeMs, number] of entry.arrived)
      if (entry.window?.add(timeMs, number) === 'unclear') this.#drop(entry)
  }

  /** Reads the numbers of the panes where windows begin, one by one. @returns the windows of which some were read */
  async #readBeginnings(
    questions: readonly WindowQuestion[],
    entries: readonly (Entry | undefined)[],
  ): Promise<readonly Entry[]> {
    const wanted = new Map<string, { entry: Entry; stretch: Stretch }>()
    for (const [index, entry] of entries.entries()) {
      if (!(entry?.window instanceof PaneWindow)) continue
      const { until } = questions[index] as WindowQuestion
      for (const { startMs, endMs } of entry.window.missing(until.getTime()) ?? []) {
        const stretch = { stateId: entry.stateId, fromMs: startMs, toMs: endMs, max: numbersMax }
        wanted.set(`${entry.stateId} ${entry.name} ${startMs}`, { entry, stretch })
      }
    }
    const list = [...wanted.values()]
    const found = await readStretches(
      this.#parts.db,
      list.map(({ stretch }) => stretch),
    )
    for (const [index, { entry, stretch }] of list.entries()) {
      const numbers: Numbers | null = found[index] ?? null
      // A value that came late in the meantime has dropped the window.
      if (entry.isDropped || !(entry.window instanceof PaneWindow)) continue
      if (numbers === null || numbers.times.length === numbersMax) this.#drop(entry)
      else entry.window.setRaw(stretch.fromMs, numbers)
    }
    return [...new Set(list.map(({ entry }) => entry))]
  }

  #weigh(entry: Entry): void {
    const { window } = entry
    if (entry.isDropped) return
    if (window instanceof RawWindow && window.size > 2 * numbersMax) {
      this.#drop(entry)
      return
    }
    const bytes = (window instanceof PaneWindow ? window.bytes : 16 * (window?.size ?? 0)) + 300
    this.#bytes += bytes - entry.bytes
    entry.bytes = bytes
  }

  #makeRoom(): void {
    for (const entry of this.#entries) {
      if (this.#bytes <= this.#bytesMax) return
      if (entry.ready === null) this.#drop(entry)
    }
  }

  #drop(entry: Entry): void {
    if (entry.isDropped) return
    entry.isDropped = true
    entry.window = null
    this.#bytes -= entry.bytes
    this.#entries.delete(entry)
    const left = this.#byState.get(entry.stateId)?.filter((other) => other !== entry) ?? []
    if (left.length === 0) this.#byState.delete(entry.stateId)
    else this.#byState.set(entry.stateId, left)
  }
}

/** Adds the time until `reading` ends, in equal parts for the windows that it has read. */
async function measure(tookUs: Map<Entry, number>, reading: Promise<readonly Entry[]>): Promise<void> {
  const started = performance.now()
  const read = await reading
  const eachUs = ((performance.now() - started) * 1000) / read.length
  for (const entry of read) tookUs.set(entry, (tookUs.get(entry) ?? 0) + eachUs)
}

function answerOf(question: WindowQuestion, entry: Entry | undefined): LookbackAnswer | null {
  if (entry === undefined || entry.window === null) return null
  const { fromSummary, fromNumbers } = metricKinds[question.operation]
  if (entry.window instanceof PaneWindow) {
    const summary = entry.window.at(question.until.getTime())
    if (summary === null || fromSummary === undefined) return null
    return { value: fromSummary.number(summary), tooMany: false }
  }
  const untilMs = question.until.getTime()
  if (fromSummary === undefined) {
    const numbers = entry.window.numbersAt(untilMs)
    return numbers === null ? null : { value: fromNumbers?.(numbers) ?? null, tooMany: false }
  }
  const summary = entry.window.at(untilMs)
  return summary === null ? null : { value: fromSummary.number(summary), tooMany: false }
}

/** How the window of a look back is kept; null: it is not. */
function shapeOf({ operation, since, until, lastValues }: Lookback): Shape | null {
  if (!isOfNumbers(operation)) return null
  const windowMs = since === null ? Number.POSITIVE_INFINITY : until.getTime() - since.getTime()
  if (lastValues !== null) return { kind: 'raw', values: lastValues, windowMs }
  if (since === null) return null
  return metricKinds[operation].fromSummary === undefined
    ? { kind: 'raw', values: Number.POSITIVE_INFINITY, windowMs }
    : { kind: 'panes', windowMs }
}

function isOfNumbers(operation: StateOperation): boolean {
  const { look, fromSummary, fromNumbers } = metricKinds[operation]
  return 'number' in look && (fromSummary !== undefined || fromNumbers !== undefined)
}
