import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Context } from '../context.ts'
import type { Executor } from '../db/index.ts'
import { ensureMonth } from '../db/months.ts'
import { Loop } from '../loop.ts'
import { nextSize } from '../pieces.ts'
import { beginPiece, giveBack, type Month, readMonths, readOwnersWithin } from './months.ts'

const dayMs = 86_400_000

/** How often rows are looked for when all were compacted. A day ends once a day, but late ones come at any time. */
const lookMs = 3_600_000
/** Wait after a failure, and while others change old values. */
const waitMs = 5_000
/** Target duration of a transaction: changing old rows waits as long. */
const pieceMs = 100
const ownersBounds = { min: 1, max: 5_000 }
/** Pauses a quarter as long as the work, and if rows were stored within `busyMs` as long, in favour of the ingest. */
const pauses = { idle: 0.25, busy: 1 }
const busyMs = 1_000
/** PostgreSQL error code of a statement that timed out. */
const queryCanceled = '57014'
/** PostgreSQL error code of a lock that was not free in time. */
const lockNotAvailable = '55P03'

/** What a piece of work has moved: rows of the table into rows of days, and the bytes of these. */
export interface Compacted {
  moved: number
  days: number
  bytes: number
}

const nothing: Compacted = { moved: 0, days: 0, bytes: 0 }

/** A table by month whose rows of past days are moved to one row for each owner and day. */
export interface Compactable {
  /** for messages and metrics: `values`, `packets` */
  name: string
  table: string
  daysTable: string
  columns: { owner: string; time: string }
  /** advisory lock of all that moves or changes old rows */
  lock: number
  /** Compacts the first day that each of these owners has in a month before a time, or a part of it. */
  compact(tx: Executor, month: Month, end: Date, ownerIds: readonly number[]): Promise<Compacted>
  /** Truncates a partition that has no rows any more. */
  truncate(tx: Executor, partition: string): Promise<void>
}

/** `more`: more may be due; `idle`: nothing is; `elsewhere`: old rows are being changed. */
type Outcome = 'elsewhere' | 'idle' | 'more'

/** Where the work is: it begins again after a restart, and finds what is left. */
interface Place {
  /** months still to be looked at, the current one first */
  months: readonly Month[]
  afterId: number
  /** whether this pass through the owners of the month found rows */
  found: boolean
}

/**
 * Moves rows of past days to one row per owner and day, in small transactions. All there is to know is in the
 * tables, so it can be interrupted at any time.
 */
export class Compactor {
  readonly #ctx: Pick<Context, 'db' | 'log' | 'clock' | 'config' | 'metrics'>
  readonly #of: Compactable
  readonly #loop: Loop
  readonly #known = new Set<string>()
  readonly #moved
  readonly #days
  readonly #bytes
  readonly #seconds
  #owners = 50
  #place: Place | undefined
  #behindSince: number | null = null
  #storedAt = Number.NEGATIVE_INFINITY

  constructor(ctx: Pick<Context, 'db' | 'log' | 'clock' | 'config' | 'metrics'>, of: Compactable) {
    this.#ctx = ctx
    this.#of = of
    const { metrics } = ctx
    const { name } = of
    this.#moved = metrics.counter(`compaction_${name}_total`, `Compaction: ${name} moved into days`, [])
    this.#days = metrics.counter(
      `compaction_${name}_days_total`,
      `Compaction of ${name}: rows of days made`,
      [],
    )
    this.#bytes = metrics.counter(
      `compaction_${name}_bytes_total`,
      `Compaction of ${name}: bytes of these rows`,
      [],
    )
    this.#seconds = metrics.counter(
      `compaction_${name}_seconds_total`,
      `Compaction of ${name}: time spent`,
      [],
    )
    metrics.gauge(
      `compaction_${name}_behind_seconds`,
      `Compaction of ${name}: for how long some that are old enough have been waiting; 0: none are known`,
      () => (this.#behindSince === null ? 0 : (performance.now() - this.#behindSince) / 1000),
    )
    this.#loop = new Loop({
      log: ctx.log,
      failure: `compacting ${name} is interrupted; tried again soon`,
      retryMs: waitMs,
      round: () => this.#attempt(),
    })
  }

  /** Notes that rows have just been stored. */
  noteActivity(): void {
    this.#storedAt = performance.now()
  }

  /** Forgets known partitions after some were dropped. */
  forgetMonths(): void {
    this.#known.clear()
    this.#place = undefined
  }

  /** Does nothing if compaction is off. */
  start(): void {
    if (this.#ctx.config.compactAfterDays > 0) this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Compacts everything that is due now; waits while others change old rows. */
  async settle(): Promise<void> {
    this.#place = undefined
    while (!this.#loop.signal.aborted) {
      const outcome = await this.#round()
      if (outcome === 'idle') return
      if (outcome === 'elsewhere') await delay(10)
    }
  }

  /** @returns how long to wait before the next round, in milliseconds */
  async #attempt(): Promise<number> {
    const started = performance.now()
    try {
      const outcome = await this.#round()
      if (outcome === 'idle') return lookMs
      if (outcome === 'elsewhere') return waitMs
      const isBusy = started - this.#storedAt < busyMs
      return (performance.now() - started) * (isBusy ? pauses.busy : pauses.idle)
    } catch (error) {
      // A month may have been dropped.
      this.forgetMonths()
      throw error
    }
  }

  /** The first moment that is too recent to be compacted. */
  #border(): Date | null {
    const { clock, config } = this.#ctx
    if (config.compactAfterDays === 0) return null
    return new Date((Math.floor(clock.now().getTime() / dayMs) - config.compactAfterDays) * dayMs)
  }

  /** Does one piece of work. */
  async #round(): Promise<Outcome> {
    const border = this.#border()
    if (border === null) return 'idle'
    const place = this.#place ?? {
      months: await readMonths(this.#ctx.db, this.#of.table, border),
      afterId: 0,
      found: false,
    }
    this.#place = place
    const { months } = place
    const [month] = months
    if (month === undefined) {
      this.#place = undefined
      this.#behindSince = null
      return 'idle'
    }
    const end = new Date(Math.min(month.end.getTime(), border.getTime()))
    await this.#ensureMonth(month)
    const piece = await this.#piece(month, end, place.afterId)
    if (piece === 'elsewhere') return piece
    if (piece === 'smaller') return 'more'
    const found = place.found || piece.moved > 0
    if (piece.last !== null) this.#place = { months, afterId: piece.last, found }
    // Each pass takes one day of each owner, at most.
    else if (found) this.#place = { months, afterId: 0, found: false }
    else {
      if (month.end <= border) await this.#giveBack(month)
      this.#place = { months: months.slice(1), afterId: 0, found: false }
    }
    return 'more'
  }

  async #piece(
    month: Month,
    end: Date,
    afterId: number,
  ): Promise<{ moved: number; last: number | null } | 'elsewhere' | 'smaller'> {
    const size = this.#owners
    const started = performance.now()
    try {
      // Without the lock: reading takes nothing from anybody.
      const { found, last } = await readOwnersWithin(
        this.#ctx.db,
        this.#of.columns,
        month,
        end,
        afterId,
        size,
      )
      const owners = last === null ? found.length : size
      const done = found.length === 0 ? nothing : await this.#compact(month, end, found)
      if (done === null) return 'elsewhere'
      const tookMs = performance.now() - started
      this.#owners = nextSize(size, owners, tookMs, pieceMs, ownersBounds)
      this.#seconds.inc({}, tookMs / 1000)
      if (done.moved > 0) this.#behindSince ??= started
      this.#moved.inc({}, done.moved)
      this.#days.inc({}, done.days)
      this.#bytes.inc({}, done.bytes)
      return { moved: done.moved, last }
    } catch (error) {
      // Too many rows at once, because owners differ in their number.
      const tooLong = error instanceof pg.DatabaseError && error.code === queryCanceled
      if (!tooLong || size === ownersBounds.min) throw error
      this.#owners = Math.max(ownersBounds.min, Math.floor(size / 8))
      return 'smaller'
    }
  }

  /** @returns null when others change old rows */
  #compact(month: Month, end: Date, ownerIds: readonly number[]): Promise<Compacted | null> {
    const { lock, compact } = this.#of
    return this.#ctx.db
      .transaction()
      .execute(async (tx) => ((await beginPiece(tx, lock)) ? compact(tx, month, end, ownerIds) : null))
  }

  /** What is still in use now is given back after the next look. */
  async #giveBack(month: Month): Promise<void> {
    try {
      if (await giveBack(this.#ctx.db, month, this.#of.truncate)) return
      this.#ctx.log.debug({ partition: month.partition }, 'an empty month is still in use')
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && error.code === lockNotAvailable)) throw error
      this.#ctx.log.debug({ partition: month.partition }, 'an empty month is locked by others')
    }
  }

  /** Runs before the transaction, because creating a partition locks the table. */
  async #ensureMonth({ month }: Month): Promise<void> {
    if (this.#known.has(month)) return
    await ensureMonth(this.#ctx.db, this.#of.daysTable, month)
    this.#known.add(month)
  }
}
