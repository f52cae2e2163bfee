import { LRUCache } from 'lru-cache'
import { upTo } from '../../platform/cache.ts'
import type { Executor } from '../../platform/db/index.ts'
import { onPrimary } from '../../platform/db/reading.ts'
import { loadStates, type StateMeta } from './store.ts'

/** Maximum number of cached states; about 300 bytes each. */
const statesMax = 300_000

/**
 * Cache of state metadata for the pipeline, loaded on demand and invalidated by table change notifications.
 */
export class StateCatalog {
  #byId: LRUCache<number, StateMeta>
  #idsByTwin: Map<number, Set<number>>
  /** counts change notifications: a row read while one arrived is not cached */
  #generation = 0

  constructor() {
    ;({ byId: this.#byId, idsByTwin: this.#idsByTwin } = empty())
  }

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
      if (generation === this.#generation) this.#remember(meta)
      found.set(meta.id, meta)
    }
    return found
  }

  /** Forgets the states of these twins. */
  forgetTwins(twinIds: readonly number[]): void {
    this.#generation++
    for (const twinId of twinIds) {
      const ids = [...(this.#idsByTwin.get(twinId) ?? [])]
      for (const id of ids) this.#byId.delete(id)
      this.#idsByTwin.delete(twinId)
    }
  }

  /** Forgets these states. */
  forget(ids: readonly number[]): void {
    this.#generation++
    for (const id of ids) this.#byId.delete(id)
  }

  /** Forgets everything. Removing some hundred thousand entries one by one would hold up everybody. */
  clear(): void {
    this.#generation++
    ;({ byId: this.#byId, idsByTwin: this.#idsByTwin } = empty())
  }

  #remember(meta: StateMeta): void {
    this.#byId.set(meta.id, meta)
    const ids = this.#idsByTwin.get(meta.twinId)
    if (ids === undefined) this.#idsByTwin.set(meta.twinId, new Set([meta.id]))
    else ids.add(meta.id)
  }
}

function empty() {
  const idsByTwin = new Map<number, Set<number>>()
  const byId = new LRUCache<number, StateMeta>({
    ...upTo(statesMax),
    dispose: ({ id, twinId }) => {
      const ids = idsByTwin.get(twinId)
      ids?.delete(id)
      if (ids?.size === 0) idsByTwin.delete(twinId)
    },
  })
  return { byId, idsByTwin }
}
