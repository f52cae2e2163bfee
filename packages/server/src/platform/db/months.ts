import { sql } from 'kysely'
import type { Executor } from './index.ts'

/** The first days (UTC) of the months of these times: `2026-11-01`. */
export function monthsOf(times: Iterable<Date>): Set<string> {
  const months = new Set<string>()
  let [from, until] = [0, 0]
  for (const time of times) {
    const ms = time.getTime()
    if (ms >= from && ms < until) continue
    // Nearly all times of a batch are in the same month.
    from = Date.UTC(time.getUTCFullYear(), time.getUTCMonth())
    until = Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1)
    months.add(new Date(from).toISOString().slice(0, 10))
  }
  return months
}

/** Creates the partition of a table for a month (`2026-11-01`), unless it exists. */
export async function ensureMonth(db: Executor, table: string, month: string): Promise<void> {
  await sql`select ensure_month_partition(${table}, ${month}::date)`.execute(db)
}

/** Makes partitions of tables by month, each once. */
export class MonthPartitions {
  readonly #db: Executor
  /** tables and months known to have partitions */
  readonly #known = new Set<string>()

  constructor(db: Executor) {
    this.#db = db
  }

  /**
   * Ensures that there are partitions for these times. Call it before the transaction that writes, because it locks the
   * table.
   */
  async prepare(table: string, times: Iterable<Date>): Promise<void> {
    for (const month of monthsOf(times)) {
      const key = `${table} ${month}`
      if (this.#known.has(key)) continue
      await ensureMonth(this.#db, table, month)
      this.#known.add(key)
    }
  }

  /** For when partitions were dropped. */
  forget(): void {
    this.#known.clear()
  }
}
