import { setImmediate as turn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Executor } from '../../../platform/db/index.ts'
import { GroupedCache } from '../../../platform/groupedCache.ts'
import type { TimedValue } from '../aggregate.ts'
import { type ComputedInput, inputsOf, type StoredValue } from '../apply.ts'
import { readBefore } from '../corrections/store.ts'
import type { StateMeta } from '../store.ts'
import type { ClockNote } from '../windows/index.ts'
import { Freshness } from './freshness.ts'
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

/** Aggregates with more sources let others work while they are loaded: 50 000 take about 70 ms. */
const restlessMax = 2_000
const noRest = async (): Promise<void> => undefined

interface Changed {
  meta: StateMeta
  changes: readonly StoredValue[]
}

interface Entry {
  running: RunningAggregate
  meta: StateMeta
  /** null: values count however old they are */
  freshness: Freshness | null
  /** last stored value; undefined if a transformer changes it */
  last: TimedValue | undefined
  twinIds: ReadonlySet<number>
}

/**
 * Cache of aggregates with the current values of their sources. Loaded on demand and dropped when their
 * configuration changes or a source change was missed.
 */
export class Aggregates {
  readonly #entries = new GroupedCache<number, Entry, number>({
    max: sourcesMax,
    groupsOf: ({ twinIds }) => twinIds,
    sizeOf: ({ meta }) => meta.sourceIds.length + 1,
  })
  /** counts configuration changes: an entry read while one arrived is not cached */
  #generation = 0

  /**
   * Applies changes of sources.
   * @param changed aggregates with the stored values of their sources
   * @returns the new values of the aggregates, including intermediate ones if there are few, and which have none or
   *   have to be looked at again when a source is too old
   */
  async follow(
    db: Executor,
    changed: readonly Changed[],
    now: Date,
  ): Promise<{ inputs: ComputedInput[]; notes: ClockNote[] }> {
    const nowMs = now.getTime()
    // Without a change of a source the sources are others, or one is too old.
    this.forget(changed.flatMap(({ meta, changes }) => (changes.length === 0 ? [meta.id] : [])))
    const entries = await this.#load(db, changed, nowMs)
    const inputs: ComputedInput[] = []
    const notes: ClockNote[] = []
    for (const { meta, changes } of changed) {
      const entry = entries.get(meta.id)
      if (entry === undefined) continue
      inputs.push(...valuesOf(entry, changes, nowMs))
      const isEmpty = resultOf(entry) === null
      if (isEmpty) entry.last = undefined
      const dueMs = entry.freshness?.dueMs ?? null
      if (isEmpty || dueMs !== null)
        notes.push({ stateId: meta.id, due: dueMs === null ? null : new Date(dueMs), isEmpty })
    }
    return { inputs, notes }
  }

  /** Forgets aggregates whose source changes were not all seen. */
  forget(stateIds: Iterable<number>): void {
    for (const id of stateIds) this.#entries.delete(id)
  }

  /** Forgets aggregates of these twins and aggregates with sources in them. */
  forgetTwins(twinIds: Iterable<number>): void {
    this.#generation++
    for (const twinId of twinIds) this.#entries.deleteGroup(twinId)
  }

  /** Forgets aggregates that have other sources now, also those being read. */
  forgetChanged(stateIds: Iterable<number>): void {
    this.#generation++
    this.forget(stateIds)
  }

  clear(): void {
    this.#generation++
    this.#entries.clear()
  }

  async #load(db: Executor, changed: readonly Changed[], nowMs: number): Promise<Map<number, Entry>> {
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
      const rest = meta.sourceIds.length > restlessMax ? turn : noRest
      await rest()
      // Others may share these values, and freshness takes out those that are too old.
      const counted = meta.stale === null ? before : new Map(before)
      const freshness = meta.stale && new Freshness(meta.stale, meta.sourceIds, counted, nowMs)
      await rest()
      const running = await RunningAggregate.inPieces(meta.method, meta.sourceIds, counted, rest)
      const entry: Entry = { meta, freshness, running, last: undefined, twinIds: twinsOf(meta, twinOf) }
      if (meta.transformer === null) entry.last = current.get(meta.id)
      found.set(meta.id, entry)
      if (generation === this.#generation) this.#entries.set(meta.id, entry)
    }
    return found
  }
}

/** The twins of an aggregate and its sources. */
function twinsOf({ id, sourceIds }: StateMeta, twinOf: ReadonlyMap<number, number>): Set<number> {
  const twinIds = new Set<number>()
  for (const stateId of [id, ...sourceIds]) {
    const twinId = twinOf.get(stateId)
    if (twinId !== undefined) twinIds.add(twinId)
  }
  return twinIds
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

function resultOf({ running, freshness }: Entry): TimedValue | null {
  return freshness?.isUnknown ? null : running.result()
}

function valuesOf(entry: Entry, changes: readonly StoredValue[], nowMs: number): ComputedInput[] {
  const { running, meta, freshness } = entry
  const perMoment = Math.max(1, meta.sourceIds.length)
  const max =
    meta.transformer === null
      ? momentsMax
      : Math.min(momentsMax, Math.max(1, Math.floor(transformerInputsMax / perMoment)))
  const byTime = new Map<number, ComputedInput>()
  const look = () => {
    const found = resultOf(entry)
    if (found === null || isSame(found, entry.last)) return
    const result = timed(found, entry.last, changes.length > 0 ? null : nowMs)
    if (result === null) return
    if (meta.transformer === null) entry.last = result
    const values = inputsOf(meta, () => running.inputs())
    byTime.set(result.time.getTime(), { stateId: meta.id, ...result, values })
  }
  const isFew = changes.length <= max
  for (const change of changes.toSorted((a, b) => a.time.getTime() - b.time.getTime())) {
    if (freshness?.isFresh(change, nowMs) === false) continue
    freshness?.take(change.stateId, change, nowMs)
    const hasChanged = running.set(change.stateId, change, change.isCurrent)
    if (hasChanged && isFew) look()
  }
  // A newly loaded aggregate already contains the changes.
  look()
  return [...byTime.values()]
}

/**
 * A result with the time to store it with: never older than the last one. One that changed although no source did, because
 * a source went or is too old, has the current time, so that the history keeps the value there was until then.
 * @param nowMs null: a source changed
 * @returns null: it is known already
 */
function timed(result: TimedValue, last: TimedValue | undefined, nowMs: number | null): TimedValue | null {
  if (last === undefined || result.time > last.time) return result
  if (isDeepStrictEqual(result.value, last.value)) return null
  return { value: result.value, time: new Date(Math.max(nowMs ?? 0, last.time.getTime())) }
}

function isSame(a: TimedValue, b: TimedValue | undefined): boolean {
  return b !== undefined && a.time.getTime() === b.time.getTime() && Object.is(a.value, b.value)
}
