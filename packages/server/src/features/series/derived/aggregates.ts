import { LRUCache } from 'lru-cache'
import type { Executor } from '../../../platform/db/index.ts'
import type { TimedValue } from '../aggregate.ts'
import type { ComputedInput, StoredValue } from '../apply.ts'
import { readBefore } from '../corrections/store.ts'
import type { StateMeta } from '../store.ts'
import { RunningAggregate } from './running.ts'
import { readSources } from './store.ts'

/** Maximum number of cached sources of all aggregates, about 150 bytes each. */
const sourcesMax = 500_000
/** Maximum changes per aggregate that each produce a value; with more, only the last one does. */
const momentsMax = 16
/** Maximum source values passed to the transformer of one aggregate per piece of work. */
const transformerInputsMax = 4_000

/** Up to this many missing aggregates are loaded as before the changes, so that each change gets a value. */
const loadedExactlyMax = 20

interface Changed {
  meta: StateMeta
  changes: readonly StoredValue[]
}

interface Entry {
  running: RunningAggregate
  meta: StateMeta
  /** last stored value; undefined if a transformer changes it */
  last: TimedValue | undefined
  twinIds: ReadonlySet<number>
}

/**
 * Cache of aggregates with the current values of their sources. Loaded on demand and dropped when their
 * configuration changes or a source change was missed.
 */
export class Aggregates {
  readonly #entries: LRUCache<number, Entry>
  readonly #byTwin = new Map<number, Set<number>>()
  /** counts configuration changes: an entry read while one arrived is not cached */
  #generation = 0

  constructor() {
    this.#entries = new LRUCache({
      maxSize: sourcesMax,
      sizeCalculation: ({ meta }) => meta.sourceIds.length + 1,
      dispose: ({ meta, twinIds }) => {
        for (const twinId of twinIds) {
          const ids = this.#byTwin.get(twinId)
          ids?.delete(meta.id)
          if (ids?.size === 0) this.#byTwin.delete(twinId)
        }
      },
    })
  }

  /**
   * Applies changes of sources.
   * @param changed aggregates with the stored values of their sources
   * @returns the new values of the aggregates, including intermediate ones if there are few
   */
  async follow(db: Executor, changed: readonly Changed[]): Promise<ComputedInput[]> {
    const entries = await this.#load(db, changed)
    return changed.flatMap(({ meta, changes }) => {
      const entry = entries.get(meta.id)
      return entry === undefined ? [] : valuesOf(entry, changes)
    })
  }

  /** Forgets aggregates whose source changes were not all seen. */
  forget(stateIds: Iterable<number>): void {
    for (const id of stateIds) this.#entries.delete(id)
  }

  /** Forgets aggregates of these twins and aggregates with sources in them. */
  forgetTwins(twinIds: Iterable<number>): void {
    this.#generation++
    for (const twinId of twinIds) this.forget([...(this.#byTwin.get(twinId) ?? [])])
  }

  clear(): void {
    this.#generation++
    this.#entries.clear()
  }

  async #load(db: Executor, changed: readonly Changed[]): Promise<Map<number, Entry>> {
    const found = new Map<number, Entry>()
    const missing: Changed[] = []
    for (const each of changed) {
      const { meta } = each
      const entry = this.#entries.get(meta.id)
      // The version changes with the method and the sources.
      if (entry?.meta.version === meta.version) found.set(meta.id, entry)
      else missing.push(each)
    }
    if (missing.length === 0) return found
    const generation = this.#generation
    const stateIds = new Set(missing.flatMap(({ meta: { id, sourceIds } }) => [id, ...sourceIds]))
    const { current, twinOf } = await readSources(db, [...stateIds])
    for (const { meta, changes } of missing) {
      const before = missing.length > loadedExactlyMax ? current : await beforeOf(db, current, changes)
      const entry: Entry = {
        meta,
        running: new RunningAggregate(meta.method, meta.sourceIds, before),
        last: undefined,
        twinIds: new Set([meta.id, ...meta.sourceIds].flatMap((id) => twinOf.get(id) ?? [])),
      }
      if (meta.transformer === null) entry.last = current.get(meta.id)
      found.set(meta.id, entry)
      if (generation === this.#generation) this.#keep(entry)
    }
    return found
  }

  #keep(entry: Entry): void {
    this.#entries.set(entry.meta.id, entry)
    for (const twinId of entry.twinIds) {
      const ids = this.#byTwin.get(twinId)
      if (ids === undefined) this.#byTwin.set(twinId, new Set([entry.meta.id]))
      else ids.add(entry.meta.id)
    }
  }
}

/** Source values before the changes, if there are few changes and they set the current values. */
async function beforeOf(
  db: Executor,
  current: Map<number, TimedValue>,
  changes: readonly StoredValue[],
): Promise<Map<number, TimedValue>> {
  const newest = changes.filter(
    ({ stateId, time }) => current.get(stateId)?.time.getTime() === time.getTime(),
  )
  if (newest.length === 0 || changes.length > momentsMax) return current
  const first = new Date(
    changes.reduce((least, { time }) => Math.min(least, time.getTime()), Number.POSITIVE_INFINITY),
  )
  const before = new Map(current)
  const ids = [...new Set(newest.map(({ stateId }) => stateId))]
  const known = await readBefore(db, ids, first)
  for (const id of ids) {
    const value = known.get(id)
    if (value === undefined) before.delete(id)
    else before.set(id, value)
  }
  return before
}

function valuesOf(entry: Entry, changes: readonly StoredValue[]): ComputedInput[] {
  const { running, meta } = entry
  const perMoment = Math.max(1, meta.sourceIds.length)
  const max =
    meta.transformer === null
      ? momentsMax
      : Math.min(momentsMax, Math.max(1, Math.floor(transformerInputsMax / perMoment)))
  const byTime = new Map<number, ComputedInput>()
  const look = () => {
    const result = running.result()
    if (result === null || isSame(result, entry.last)) return
    if (meta.transformer === null) entry.last = result
    const inputs = meta.transformer === null ? [] : running.inputs()
    const values = inputs.map((input) => ({ ...input, time: input.time.toISOString() }))
    byTime.set(result.time.getTime(), { stateId: meta.id, ...result, values })
  }
  const isFew = changes.length <= max
  for (const change of changes.toSorted((a, b) => a.time.getTime() - b.time.getTime())) {
    const hasChanged = running.set(change.stateId, change, change.isCurrent)
    if (hasChanged && isFew) look()
  }
  // A newly loaded aggregate already contains the changes.
  look()
  return [...byTime.values()]
}

function isSame(a: TimedValue, b: TimedValue | undefined): boolean {
  return b !== undefined && a.time.getTime() === b.time.getTime() && Object.is(a.value, b.value)
}
