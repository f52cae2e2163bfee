import type { TimedValue } from '../aggregate.ts'
import type { StaleSettings } from '../store.ts'

/** Steps in which members grow stale: a sixtieth of the time, within these bounds. */
const stepMinMs = 10_000
const stepMaxMs = 600_000

/** Which sources of an aggregate have values that are new enough to count. */
export class Freshness {
  readonly #settings: StaleSettings
  /** sources without a value that counts; only if these make the result unknown */
  readonly #missing = new Set<number>()
  #dueMs: number | null = null

  /** @param current initial values of the sources; those too old are taken out */
  constructor(
    settings: StaleSettings,
    sourceIds: readonly number[],
    current: Map<number, TimedValue>,
    nowMs: number,
  ) {
    this.#settings = settings
    for (const id of sourceIds) {
      const value = current.get(id)
      if (value !== undefined && this.isFresh(value, nowMs)) this.#expect(value, nowMs)
      else {
        current.delete(id)
        if (settings.counts === 'unknown') this.#missing.add(id)
      }
    }
  }

  isFresh({ time }: Pick<TimedValue, 'time'>, nowMs: number): boolean {
    return time.getTime() > nowMs - this.#settings.afterMs
  }

  /** Notes a new value that counts. */
  take(sourceId: number, value: TimedValue, nowMs: number): void {
    this.#missing.delete(sourceId)
    if (this.#dueMs === null) this.#expect(value, nowMs)
  }

  get isUnknown(): boolean {
    return this.#missing.size > 0
  }

  /** When the first of the values may be too old, unless a new one has come; null: there are none. */
  get dueMs(): number | null {
    return this.#dueMs
  }

  #expect({ time }: TimedValue, nowMs: number): void {
    const { afterMs } = this.#settings
    const stepMs = Math.min(stepMaxMs, Math.max(stepMinMs, afterMs / 60))
    const dueMs = Math.max(Math.ceil((time.getTime() + afterMs) / stepMs) * stepMs, nowMs + stepMs)
    if (this.#dueMs === null || dueMs < this.#dueMs) this.#dueMs = dueMs
  }
}
