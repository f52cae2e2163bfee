/** Scripts that crashed their process too often, and until when they are suspended. */
import { LIMITS } from './types.ts'

interface Record {
  crashes: number
  since: number
  until: number
}

const WINDOW_MS = 60_000
const SCRIPTS_MAX = 1_000

/** Times are milliseconds of any monotonic clock. */
export class Quarantine {
  private readonly records = new Map<string, Record>()

  /** Counts a crash; true when the script is suspended from now on. */
  crashed(key: string, now: number): boolean {
    const known = this.records.get(key)
    const fresh = known === undefined || now - known.since > WINDOW_MS
    const record = fresh ? { crashes: 0, since: now, until: 0 } : known
    record.crashes++
    this.records.delete(key)
    this.records.set(key, record)
    if (this.records.size > SCRIPTS_MAX) {
      const [oldest] = this.records.keys()
      if (oldest !== undefined) this.records.delete(oldest)
    }
    if (record.crashes < LIMITS.crashesPerCall) return false
    record.until = now + LIMITS.quarantineMs
    return true
  }

  has(key: string, now: number): boolean {
    const record = this.records.get(key)
    return record !== undefined && record.until > now
  }

  keys(now: number): string[] {
    return [...this.records.keys()].filter((key) => this.has(key, now))
  }
}
