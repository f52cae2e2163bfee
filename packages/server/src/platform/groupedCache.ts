import { LRUCache } from 'lru-cache'

interface Options<V, G> {
  /** largest sum of the sizes of all values */
  max: number
  /** what a value is about, e.g. its twin; all values about something can be deleted together */
  groupsOf(value: V): Iterable<G>
  /** absent: each counts as one */
  sizeOf?(value: V): number
  /** how long a value is kept; absent: until it is deleted or dropped */
  ttlMs?: number
}

/**
 * A cache that drops what was not used for longest, with its values in groups. Deleting a group takes as long as the group is
 * large, and clearing the cache takes no time at all: going through some hundred thousand entries would hold up everybody.
 */
export class GroupedCache<K extends {}, V extends {}, G> {
  readonly #options: Options<V, G>
  #entries: LRUCache<K, V>
  #groups: Map<G, Set<K>>

  constructor(options: Options<V, G>) {
    this.#options = options
    this.#groups = new Map()
    this.#entries = this.#empty(this.#groups)
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)
  }

  set(key: K, value: V): void {
    this.#entries.set(key, value)
    // One that is larger than the whole cache is not kept.
    if (this.#entries.peek(key) !== value) return
    for (const group of this.#options.groupsOf(value)) {
      const keys = this.#groups.get(group)
      if (keys === undefined) this.#groups.set(group, new Set([key]))
      else keys.add(key)
    }
  }

  delete(key: K): void {
    this.#entries.delete(key)
  }

  /** Deletes all values of a group. */
  deleteGroup(group: G): void {
    for (const key of [...(this.#groups.get(group) ?? [])]) this.#entries.delete(key)
  }

  /** The values of a group with their keys. */
  ofGroup(group: G): [K, V][] {
    return [...(this.#groups.get(group) ?? [])].flatMap((key): [K, V][] => {
      const value = this.#entries.peek(key)
      return value === undefined ? [] : [[key, value]]
    })
  }

  entries(): Iterable<[K, V]> {
    return this.#entries.entries()
  }

  /** Deletes all values. */
  clear(): void {
    this.#groups = new Map()
    this.#entries = this.#empty(this.#groups)
  }

  #empty(groups: Map<G, Set<K>>): LRUCache<K, V> {
    const { max, groupsOf, sizeOf = () => 1, ttlMs = 0 } = this.#options
    return new LRUCache<K, V>({
      maxSize: max,
      sizeCalculation: sizeOf,
      ttl: ttlMs,
      dispose: (value, key) => {
        for (const group of groupsOf(value)) {
          const keys = groups.get(group)
          keys?.delete(key)
          if (keys?.size === 0) groups.delete(group)
        }
      },
    })
  }
}
