import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Context } from '../../../platform/context.ts'
import { ensureMonth } from '../../../platform/db/months.ts'
import { Loop } from '../../../platform/loop.ts'
import { dayMs, nextSize } from '../rollups/levels.ts'
import { beginPiece, compactDays, giveBack, type Month, readMonths, readStatesWithin } from './store.ts'

/** How often values are looked for when all were compacted. A day ends once a day, but late values come at any time. */
const lookMs = 3_600_000
/** Wait after a failure, and while others change old values. */
const waitMs = 5_000
/** Target duration of a transaction: storing late values waits as long. */
const pieceMs = 100
const statesBounds = { min: 1, max: 5_000 }
/** Pauses a quarter as long as the work, and if values were stored within `busyMs` as long, in favour of the ingest. */
const pauses = { idle: 0.25, busy: 1 }
const busyMs = 1_000
/** PostgreSQL error code of a statement that timed out. */
const queryCanceled = '57014'
/** PostgreSQL error code of a lock that was not free in time. */
const lockNotAvailable = '55P03'

const nothing = { values: 0, rows: 0, bytes: 0 }

/** `more`: more may be due; `idle`: nothing is; `elsewhere`: old values are being changed. */
type Outcome = 'elsewhere' | 'idle' | 'more'

/** Where the work is: it begins again after a restart, and finds what is left. */
interface Place {
  /** months still to be looked at, the current one first */
  months: readonly Month[]
  afterStateId: number
  /** whether this pass through the states of the month found values */
  found: boolean
}

/**
 * Moves values of past days from rows to one row per state and day, in small transactions. All there is to know is in the
 * tables, so it can be interrupted at any time.
 */
export class Compactor {
  readonly #ctx: Context
  readonly #loop: Loop
  readonly #known = new Set<string>()
  readonly #values
  readonly #rows
  readonly #bytes
  readonly #seconds
  #states = 50
  #place: Place | undefined
  #behindSince: number | null = null
  #storedAt = Number.NEGATIVE_INFINITY

  constructor(ctx: Context) {
    this.#ctx = ctx
    const { metrics } = ctx
    this.#values = metrics.counter('compaction_values_total', 'Values moved into compacted days', [])
    this.#rows = metrics.counter('compaction_days_total', 'Rows of compacted days made', [])
    this.#bytes = metrics.counter('compaction_bytes_total', 'Bytes of the rows of compacted days', [])
    this.#seconds = metrics.counter('compaction_seconds_total', 'Time spent on compacting values', [])
    metrics.gauge(
      'compaction_behind_seconds',
      'For how long values old enough to be compacted have been waiting; 0: none are known',
      () => (this.#behindSince === null ? 0 : (performance.now() - this.#behindSince) / 1000),
    )
    this.#loop = new Loop({
      log: ctx.log,
      failure: 'compacting values is interrupted; tried again soon',
      retryMs: waitMs,
      round: () => this.#attempt(),
    })
  }

  /** Notes that values have just been stored. */
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

  /** Compacts everything that is due now; waits while others change old values. */
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
      months: await readMonths(this.#ctx.db, border),
      afterStateId: 0,
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
    const piece = await this.#piece(month, end, place.afterStateId)
    if (piece === 'elsewhere') return piece
    if (piece === 'smaller') return 'more'
    const found = place.found || piece.values > 0
    if (piece.last !== null) this.#place = { months, afterStateId: piece.last, found }
    // Each pass takes one day of each state, at most.
    else if (found) this.#place = { months, afterStateId: 0, found: false }
    else {
      if (month.end <= border) await this.#giveBack(month)
      this.#place = { months: months.slice(1), afterStateId: 0, found: false }
    }
    return 'more'
  }

  async #piece(
    month: Month,
    end: Date,
    afterStateId: number,
  ): Promise<{ values: number; last: number | null } | 'elsewhere' | 'smaller'> {
    const size = this.#states
    const started = performance.now()
    try {
      // Without the lock: reading takes nothing from anybody.
      const { found, last } = await readStatesWithin(this.#ctx.db, month, end, afterStateId, size)
      const states = last === null ? found.length : size
      const done = found.length === 0 ? nothing : await this.#compact(month, end, found)
      if (done === null) return 'elsewhere'
      const tookMs = performance.now() - started
      this.#states = nextSize(size, states, tookMs, pieceMs, statesBounds)
      this.#seconds.inc({}, tookMs / 1000)
      if (done.values > 0) this.#behindSince ??= started
      this.#values.inc({}, done.values)
      this.#rows.inc({}, done.rows)
      this.#bytes.inc({}, done.bytes)
      return { values: done.values, last }
    } catch (error) {
      // Too many values at once, because states differ in their number.
      const tooLong = error instanceof pg.DatabaseError && error.code === queryCanceled
      if (!tooLong || size === statesBounds.min) throw error
      this.#states = Math.max(statesBounds.min, Math.floor(size / 8))
      return 'smaller'
    }
  }

  /** @returns null when others change old values */
  #compact(month: Month, end: Date, stateIds: readonly number[]): Promise<typeof nothing | null> {
    return this.#ctx.db
      .transaction()
      .execute(async (tx) => ((await beginPiece(tx)) ? compactDays(tx, month, end, stateIds) : null))
  }

  /** What is still in use now is given back after the next look. */
  async #giveBack(month: Month): Promise<void> {
    try {
      if (await giveBack(this.#ctx.db, month)) return
      this.#ctx.log.debug({ partition: month.partition }, 'an empty month is still in use')
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && error.code === lockNotAvailable)) throw error
      this.#ctx.log.debug({ partition: month.partition }, 'an empty month is locked by others')
    }
  }

  /** Runs before the transaction, because creating a partition locks the table. */
  async #ensureMonth({ month }: Month): Promise<void> {
    if (this.#known.has(month)) return
    await ensureMonth(this.#ctx.db, 'value_days', month)
    this.#known.add(month)
  }
}
