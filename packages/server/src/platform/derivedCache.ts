import { GroupedCache } from './groupedCache.ts'

/** Whatever has changed, each as a ground; `*`: anything may have. */
export type ChangedGrounds = ReadonlySet<string> | '*'

/** A value, with everything it was computed from. */
export interface Derived<V> {
  readonly value: V
  readonly grounds: ReadonlySet<string>
}

interface Options<K, V, None> {
  /** largest sum of the sizes of all values kept; what was not used for longest goes first */
  max: number
  /** absent: each counts as one */
  sizeOf?(value: V): number
  /** after which a value is read again, in case a change was not announced */
  ttlMs: number
  /** undefined: there is none, which is not kept */
  read(key: K): Promise<Derived<V> | None>
}

interface Reading<V, None> {
  readonly promise: Promise<Derived<V> | None>
  /** how many changes had been announced when it began */
  readonly since: number
}

/** Whether something with these grounds may differ after one of the changes. */
export function isConcerned(grounds: ReadonlySet<string>, changes: readonly ChangedGrounds[]): boolean {
  return changes.some((changed) => changed === '*' || isAnyIn(grounds, changed))
}

/** Whether two sets have something in common; takes as long as the smaller one is large. */
function isAnyIn(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [few, many] = one.size < other.size ? [one, other] : [other, one]
  for (const each of few) if (many.has(each)) return true
  return false
}

/**
 * Reads values and keeps them until something they were computed from has changed. What a value depends on is only known once it has been
 * read, so changes announced during a reading are remembered: a value that one of them concerns is not kept, and who asked
 * after the change does not get it. `None` is `never` where there is a value for every key.
 */
export class DerivedCache<K extends {}, V, None extends undefined = undefined> {
  readonly #options: Options<K, V, None>
  readonly #known: GroupedCache<K, Derived<V>, string>
  /** in the order in which they began */
  readonly #reading = new Map<K, Reading<V, None>>()
  /** since the oldest reading began */
  readonly #changes: ChangedGrounds[] = []
  #announced = 0

  constructor(options: Options<K, V, None>) {
    const { max, ttlMs, sizeOf = () => 1 } = options
    this.#options = options
    this.#known = new GroupedCache({
      max,
      ttlMs,
      sizeOf: ({ value }) => sizeOf(value),
      groupsOf: ({ grounds }) => grounds,
    })
  }

  /** The value, from the cache or read. @returns undefined when there is none */
  async get(key: K): Promise<Derived<V> | None> {
    for (;;) {
      const known = this.#known.get(key)
      if (known) return known
      const others = this.#reading.get(key)
      if (!others) return this.#read(key)
      const before = this.#changesSince(others.since)
      const read = await others.promise
      // It may have come into being since the other reading began.
      if (!read) return this.#options.read(key)
      if (!isConcerned(read.grounds, before)) return read
    }
  }

  /** What is in the cache, without waiting. */
  known(key: K): V | undefined {
    return this.#known.get(key)?.value
  }

  /** Makes the next call read the value again. */
  delete(key: K): void {
    this.#known.delete(key)
  }

  /** Forgets what depends on something that has changed, also what is being read. */
  forget(changed: ChangedGrounds): void {
    if (changed === '*') this.#known.clear()
    else for (const ground of changed) this.#known.deleteGroup(ground)
    if (this.#reading.size === 0) return
    this.#announced++
    this.#changes.push(changed)
  }

  #read(key: K): Promise<Derived<V> | None> {
    const since = this.#announced
    const promise = this.#options
      .read(key)
      .then((read) => {
        if (read && !isConcerned(read.grounds, this.#changesSince(since))) this.#known.set(key, read)
        return read
      })
      .finally(() => {
        this.#reading.delete(key)
        const [oldest] = this.#reading.values()
        this.#changes.splice(0, this.#changes.length - (this.#announced - (oldest?.since ?? this.#announced)))
      })
    this.#reading.set(key, { promise, since })
    return promise
  }

  #changesSince(since: number): ChangedGrounds[] {
    const count = this.#announced - since
    return count === 0 ? [] : this.#changes.slice(-count)
  }
}
