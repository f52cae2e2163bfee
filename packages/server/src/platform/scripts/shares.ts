/** How much time each name has used recently. Times are milliseconds of any monotonic clock. */

interface Use {
  ms: number
  at: number
}

/** Half-life of the recorded use. */
const HALF_LIFE_MS = 5_000
const NAMES_MAX = 10_000

export class Shares {
  private readonly uses = new Map<string, Use>()

  add(name: string, ms: number, now: number): void {
    const used = this.of(name, now) + ms
    this.uses.delete(name)
    this.uses.set(name, { ms: used, at: now })
    if (this.uses.size <= NAMES_MAX) return
    const [oldest] = this.uses.keys()
    if (oldest !== undefined) this.uses.delete(oldest)
  }

  of(name: string, now: number): number {
    const use = this.uses.get(name)
    return use === undefined ? 0 : use.ms * 2 ** (-Math.max(0, now - use.at) / HALF_LIFE_MS)
  }

  /** The name that has used the least; of equals the first. */
  least<T>(names: Iterable<readonly [string, T]>, now: number): readonly [string, T] | undefined {
    let found: readonly [string, T] | undefined
    let least = Number.POSITIVE_INFINITY
    for (const entry of names) {
      const used = this.of(entry[0], now)
      if (used >= least) continue
      least = used
      found = entry
    }
    return found
  }
}
