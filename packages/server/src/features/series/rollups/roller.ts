import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { Loop } from '../../../platform/loop.ts'
import { nextSize } from '../../../platform/pieces.ts'
import { type Level, level, newestDue } from './levels.ts'
import { keepRebuild, readStatesOfMonth, rebuildStates } from './rebuild.store.ts'
import {
  beginPiece,
  type Due,
  deleteFives,
  deleteRollups,
  ensureRollupMonth,
  lookForDue,
  readDueMonths,
  rollDays,
  rollFives,
  rollHours,
  takeChanges,
} from './store.ts'

/** Interval between rounds; larger batches of changes cost less work. */
const lookMs = 5_000
/** Wait after a failure, e.g. of the database, and while another process has the lock. */
const waitMs = 5_000
/** Target duration of a piece of work; kept short because open transactions delay events. */
const pieceMs = 100
const bounds = { min: 1, max: 20_000 }
/** PostgreSQL error code of a statement that timed out. */
const queryCanceled = '57014'
/** If values were stored within this time, pause half of the time in favour of the ingest. */
const busyMs = 1_000
/** `more`: more work is due; `done`: none is left; `elsewhere`: another process has the lock. */
type Outcome = 'idle' | 'done' | 'more' | 'elsewhere'
/** Maximum number of months known to have partitions; the set is cleared when it is full. */
const monthsMax = 2_000

type Kind = 'changes' | '5m' | '1h' | '1d' | 'rebuild'
const kindOf: Record<Level, Kind> = { 0: '5m', 1: '1h', 2: '1d' }
const roll = { [level.fiveMinutes]: rollFives, [level.hour]: rollHours, [level.day]: rollDays }

/**
 * Maintains roll-ups from the list of changes in small transactions. After an interruption, unprocessed
 * changes are still in the list, where readers see that the roll-ups are stale.
 */
export class Roller {
  readonly #ctx: Context
  readonly #sizes: Record<Kind, number> = { changes: 20, '5m': 100, '1h': 100, '1d': 200, rebuild: 4 }
  readonly #months = new Set<string>()
  readonly #loop: Loop
  readonly #done
  readonly #seconds
  #behindSince: number | null = performance.now()
  #storedAt = Number.NEGATIVE_INFINITY

  constructor(ctx: Context) {
    this.#ctx = ctx
    this.#done = ctx.metrics.counter('rollups_total', 'Roll-ups made, and changes taken', ['kind'])
    this.#seconds = ctx.metrics.counter('rollup_seconds_total', 'Time spent on roll-ups', ['kind'])
    ctx.metrics.gauge(
      'rollup_behind_seconds',
      'For how long roll-ups that are due have been waiting; 0: none are',
      () => (this.#behindSince === null ? 0 : (performance.now() - this.#behindSince) / 1000),
    )
    this.#loop = new Loop({
      log: ctx.log,
      failure: 'roll-ups are interrupted; tried again soon',
      retryMs: waitMs,
      round: () => this.#attempt(),
    })
  }

  /** Notes that values have just been stored. */
  noteActivity(): void {
    this.#storedAt = performance.now()
  }

  /** Forgets known partitions after some were dropped, so that they are checked again. */
  forgetMonths(): void {
    this.#months.clear()
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Computes everything that is due now; waits while another process has the lock. */
  async settle(): Promise<void> {
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
      if (outcome === 'more') {
        this.#behindSince ??= started
        const busy = performance.now() - this.#storedAt < busyMs
        return busy ? performance.now() - started : 0
      }
      this.#behindSince = null
      return outcome === 'elsewhere' ? waitMs : lookMs
    } catch (error) {
      this.#behindSince ??= started
      // Nothing is lost: the changes are still in the list. A partition may have been dropped.
      this.#months.clear()
      throw error
    }
  }

  /** Does one piece of each kind of work that is due. */
  async #round(): Promise<Outcome> {
    const newest = this.#newest()
    const due = await lookForDue(this.#ctx.db, newest)
    let outcome: Outcome = 'idle'
    for (const work of this.#worksOf(due, newest)) {
      if (this.#loop.signal.aborted) break
      const left = await work()
      if (left === 'elsewhere') return left
      if (outcome !== 'more') outcome = left
    }
    return outcome
  }

  #newest(): Record<Level, Date> {
    const now = this.#ctx.clock.now()
    return { 0: newestDue(0, now), 1: newestDue(1, now), 2: newestDue(2, now) }
  }

  #worksOf(due: Due, newest: Record<Level, Date>): (() => Promise<Outcome>)[] {
    const works: (() => Promise<Outcome>)[] = []
    if (due.changes) works.push(() => this.#piece('changes', takeChanges))
    for (const of of Object.values(level))
      if (due.levels[of]) works.push(() => this.#rollLevel(of, newest[of]))
    const { rebuild } = due
    if (rebuild !== null) works.push(() => this.#rebuild(rebuild.month, rebuild.afterStateId))
    return works
  }

  async #rollLevel(of: Level, newest: Date): Promise<Outcome> {
    const kind = kindOf[of]
    await this.#ensureMonths(await readDueMonths(this.#ctx.db, of, newest, this.#sizes[kind]))
    return this.#piece(kind, async (tx, limit) => {
      const { done, emptied, coarse } = await roll[of](tx, newest, limit)
      await deleteRollups(tx, of, emptied)
      await deleteFives(tx, coarse)
      return done
    })
  }

  async #rebuild(month: string, afterStateId: number): Promise<Outcome> {
    await this.#ensureMonths([month])
    const outcome = await this.#piece('rebuild', async (tx, limit) => {
      const stateIds = await readStatesOfMonth(tx, month, afterStateId, limit)
      if (stateIds.length > 0) await rebuildStates(tx, month, stateIds)
      await keepRebuild(tx, month, stateIds.length < limit ? null : (stateIds.at(-1) as number))
      return stateIds.length
    })
    // There may be another month.
    return outcome === 'done' ? 'more' : outcome
  }

  /** Does a piece of work in a transaction of its own. */
  async #piece(kind: Kind, work: (tx: Executor, limit: number) => Promise<number>): Promise<Outcome> {
    const size = this.#sizes[kind]
    const started = performance.now()
    let done: number | null
    try {
      done = await this.#ctx.db
        .transaction()
        .execute(async (tx) => ((await beginPiece(tx)) ? work(tx, size) : null))
    } catch (error) {
      // The piece may have been too large, because states differ in their number of values.
      this.#sizes[kind] = Math.max(bounds.min, Math.floor(size / 8))
      const tooLong = error instanceof pg.DatabaseError && error.code === queryCanceled
      if (tooLong && size > bounds.min) return 'more'
      throw error
    }
    if (done === null) return 'elsewhere'
    const tookMs = performance.now() - started
    this.#sizes[kind] = nextSize(size, done, tookMs, pieceMs, bounds)
    this.#done.inc({ kind }, done)
    this.#seconds.inc({ kind }, tookMs / 1000)
    return done < size ? 'done' : 'more'
  }

  /** Runs before the transaction, because creating a partition locks the table. */
  async #ensureMonths(months: readonly string[]): Promise<void> {
    for (const month of months) {
      if (this.#months.has(month)) continue
      await ensureRollupMonth(this.#ctx.db, month)
      if (this.#months.size >= monthsMax) this.#months.clear()
      this.#months.add(month)
    }
  }
}
