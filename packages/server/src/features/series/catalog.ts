import type { Executor } from '../../platform/db/index.ts'
import { onPrimary } from '../../platform/db/reading.ts'
import { GroupedCache } from '../../platform/groupedCache.ts'
import { loadStates, type StateMeta } from './store.ts'

/** Maximum number of cached states; about 300 bytes each. */
const statesMax = 300_000

/**
 * Cache of state metadata for the pipeline, loaded on demand and invalidated by table change notifications.
 */
export class StateCatalog {
  readonly #byId = new GroupedCache<number, StateMeta, number>({
    max: statesMax,
    groupsOf: ({ twinId }) => [twinId],
  })
  /** counts change notifications: a row read while one arrived is not cached */
  #generation = 0

  /** States by id; those that do not exist are missing. */
  async get(db: Executor, ids: Iterable<number>): Promise<Map<number, StateMeta>> {
    const found = new Map<number, StateMeta>()
    const missing: number[] = []
    for (const id of new Set(ids)) {
      const meta = this.#byId.get(id)
      if (meta === undefined) missing.push(id)
      else found.set(id, meta)
    }
    const generation = this.#generation
    for (const meta of await onPrimary(() => loadStates(db, missing))) {
      if (generation === this.#generation) this.#byId.set(meta.id, meta)
      found.set(meta.id, meta)
    }
    return found
  }

  /** Forgets the states of these twins. */
  forgetTwins(twinIds: readonly number[]): void {
    this.#generation++
    for (const twinId of twinIds) this.#byId.deleteGroup(twinId)
  }

  /** Forgets these states. */
  forget(ids: readonly number[]): void {
    this.#generation++
    for (const id of ids) this.#byId.delete(id)
  }

  /** Forgets everything. */
  clear(): void {
    this.#generation++
    this.#byId.clear()
  }
}
