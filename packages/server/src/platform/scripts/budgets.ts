/** Accounts whose scripts crashed processes too often, and which of their scripts may still run. */
import { LIMITS } from './types.ts'

interface Record {
  deaths: number
  since: number
  until: number
}

const WINDOW_MS = 60_000
const OWNERS_MAX = 10_000
const SCRIPTS_MAX = 10_000

/**
 * `all`: everything runs. `known`: only scripts that ran well before the first of the crashes, which stops
 * accounts that crash processes with ever-new scripts. `none`: nothing runs.
 */
export type Allowed = 'all' | 'known' | 'none'

/** Times are milliseconds of any monotonic clock. */
export class CrashBudgets {
  private readonly records = new Map<string, Record>()
  /** When a script first returned a valid result. */
  private readonly good = new Map<string, number>()

  /** Whether an owner's scripts have crashed a process recently. */
  isSuspect(owner: string, now: number): boolean {
    return this.current(owner, now) !== undefined
  }

  /** Counts the death of a process; returns the number of recent ones. */
  died(owner: string, now: number): number {
    const record = this.current(owner, now) ?? { deaths: 0, since: now, until: 0 }
    record.deaths++
    if (record.deaths >= LIMITS.deathsPerOwner) record.until = now + LIMITS.ownerRestMs
    bounded(this.records, owner, record, OWNERS_MAX)
    return record.deaths
  }

  /** Whether a script has returned a valid result, and not crashed a process since. */
  hasAnswered(key: string): boolean {
    return this.good.has(key)
  }

  answered(key: string, now: number): void {
    if (!this.good.has(key)) bounded(this.good, key, now, SCRIPTS_MAX)
  }

  /** A script that crashed is no longer known. */
  crashed(key: string): void {
    this.good.delete(key)
  }

  allowed(owner: string, now: number): Allowed {
    const record = this.current(owner, now)
    if (record === undefined || record.until <= now) return 'all'
    return record.deaths >= LIMITS.deathsPerOwnerMax ? 'none' : 'known'
  }

  mayRun(owner: string, key: string, now: number): boolean {
    const allowed = this.allowed(owner, now)
    return allowed === 'all' || (allowed === 'known' && this.isKnown(owner, key, now))
  }

  /** Whether a script ran well before its owner's processes died. */
  isKnown(owner: string, key: string, now: number): boolean {
    const since = this.current(owner, now)?.since ?? now
    const first = this.good.get(key)
    return first !== undefined && first < since
  }

  private current(owner: string, now: number): Record | undefined {
    const record = this.records.get(owner)
    if (record === undefined) return undefined
    return now - record.since <= WINDOW_MS || record.until > now ? record : undefined
  }
}

function bounded<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= max) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
