import type { JsonValue } from '@leitstand/contract/common'
import type { LiveServerMessage } from '@leitstand/contract/live'
import type { AggregationDuration, AggregationMethod, Series } from '@leitstand/contract/series'
import { Compactor } from '../../platform/compaction/compactor.ts'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { Loop } from '../../platform/loop.ts'
import type { TimedValue } from './aggregate.ts'
import { readTotals } from './aggregates.store.ts'
import { type ChartOptions, chartSeries, type Range } from './charts.ts'
import { corrector } from './corrections/index.ts'
import { compactableValues } from './days/store.ts'
import { readAfter, readLastBefore, type TimedRow } from './export.store.ts'
import { type Position, readPositions } from './positions.ts'
import { RandomSource } from './random.ts'
import { announceCorrected, noteChanges, Roller } from './rollups/index.ts'
import type { Totals } from './rollups/read.store.ts'
import { requestRebuild } from './rollups/store.ts'
import { seriesRoutes, visibleScopes } from './routes.ts'
import { readCurrent, readHeads, readRecent, readTwinCurrent, twinVisible } from './store.ts'
import {
  type EdgeName,
  type PlainValue,
  readPlainValues,
  readSummaries,
  type Summary,
} from './summaries.store.ts'
import { preview, type WindowSettings } from './windows/index.ts'
import { ValueWriter } from './writing.ts'

export { combine, newest, numbersOf, reduceNumbers, type TimedValue, toNumber } from './aggregate.ts'
export type {
  Applied,
  ApplyMode,
  RefusedValue,
  ScriptRun,
  StoredValue,
  ValueInput,
} from './apply.ts'
export { isTakenAlong } from './apply.ts'
export { type Concerned, type Corrected, type Corrections, Sweep } from './corrections/index.ts'
export { clockIn, numberText } from './csv.ts'
export { orderedValuesOf, valueAt, valuesOf } from './days/read.ts'
export { ExactSum, isExact } from './derived/exactSum.ts'
export { SortedNumbers } from './derived/sortedNumbers.ts'
export type { TimedRow } from './export.store.ts'
export { intervalStart, nextInterval } from './intervals.ts'
export type { TwinMove } from './moves.ts'
export { seriesObjects } from './objects.store.ts'
export { offsetAt } from './offsets.ts'
export { visibleScopes } from './routes.ts'
export { clearCurrent } from './store.ts'
export type { EdgeName, PlainValue, Summary } from './summaries.store.ts'
export { fromColumns, toColumns, typeOf, type ValueRow } from './values.ts'
export { windowOf } from './windows/index.ts'
export { type Apply, toLive } from './writing.ts'

/** Maximum values a rule can read from the history. */
const recentMax = 10_000
const dueEveryMs = 1_000

export type SeriesFeature = ReturnType<typeof register>

/**
 * Values of states: storing them and everything derived from them, and reading current values, history and
 * charts. A process stores all values in sequential transactions, so that aggregates never miss a source
 * value.
 */
export function register(ctx: Context) {
  const roller = new Roller(ctx)
  const compactor = new Compactor(ctx, compactableValues)
  const writer = new ValueWriter(ctx, () => {
    roller.noteActivity()
    compactor.noteActivity()
  })

  /** Whether the caller may see values of this twin or device. */
  const mayFollow = (caller: Caller, twinId: number): Promise<boolean> =>
    twinVisible(ctx.db, twinId, visibleScopes(caller))

  ctx.live.topic('twin', {
    table: 'twins',
    authorise: async (caller, id) => id !== null && mayFollow(caller, id),
    // All of them: one that is late has a time from before.
    backfill: async (_caller, id): Promise<LiveServerMessage[]> => {
      const topic = `twin:${id as number}` as const
      const values = await readTwinCurrent(ctx.db, id as number)
      return values.length === 0 ? [] : [{ kind: 'values', topic, values }]
    },
  })

  const prepareMonths = writer.prepareMonths.bind(writer)
  const corrections = corrector({
    ctx,
    catalog: writer.catalog,
    scripts: ctx.scripts,
    now: () => ctx.clock.now(),
    moveTwins: writer.moveTwins.bind(writer),
    prepareMonths,
    note: noteChanges,
    forgetTwins: (twinIds) => {
      writer.deriver.forgetTwins(twinIds)
      writer.noteLevels(twinIds)
    },
    noteAgain: writer.noteAgain.bind(writer),
    store: (work) => writer.store((unit) => work(unit)),
  })
  const due = new Loop({
    log: ctx.log,
    failure: 'states that are due could not be computed; tried again in a second',
    retryMs: dueEveryMs,
    round: async () => ((await writer.wakeDue(ctx.clock.now())) > 0 ? 0 : dueEveryMs),
  })
  const random = new RandomSource(ctx, (values) => writer.write(values))
  return {
    routes: { series: seriesRoutes(ctx) },
    store: writer.store.bind(writer),
    transform: writer.transform.bind(writer),
    write: writer.write.bind(writer),
    recompute: writer.recompute.bind(writer),
    /** Lets all roll-ups of a month be computed again in the background. @param month `2026-11-01` */
    requestRebuild: (tx: Executor, month: string): Promise<void> => requestRebuild(tx, month),
    noteSources: writer.noteSources.bind(writer),
    follow: writer.follow.bind(writer),
    onStored: writer.onStored.bind(writer),
    onLevels: writer.onLevels.bind(writer),
    /** Resolves when all states that depend on values committed so far are computed. */
    settle: (): Promise<void> => writer.deriver.settle(),
    /** Computes what an ended process left behind; also runs automatically. */
    findLeftovers: (): Promise<void> => writer.deriver.findLeftovers(),
    moveWith: writer.moveWith.bind(writer),
    prepareMonths,
    corrections,
    catalog: writer.catalog,
    mayFollow,
    /** Current values by state id; states without one are missing. */
    current: (db: Executor, stateIds: readonly number[]): Promise<Map<number, TimedValue>> =>
      readCurrent(db, stateIds),
    /** Values of one state up to `until`, oldest first: the last n, or all since a time; at most 10 000. */
    recent: (
      db: Executor,
      stateId: number,
      options: { lastValues?: number; since?: Date; until: Date },
    ): Promise<TimedValue[]> => readRecent(db, stateId, options, recentMax),
    /**
     * Series for charts, at most 2 000 points each; `duration` absent: chosen from the range. The caller must
     * check access to the states; states that do not exist are left out.
     */
    chart: async (
      stateIds: readonly number[],
      range: Range,
      options: ChartOptions,
    ): Promise<{ duration: AggregationDuration | 'raw'; series: Series[] }> => {
      const heads = await readHeads(ctx.db, stateIds, null)
      const ordered = stateIds.flatMap((id) => heads.get(id) ?? [])
      return chartSeries(ctx.db, ordered, range, options)
    },
    /**
     * Positions of a twin or device in a period, from its states whose keys start with lat or lon: the newest
     * `max`, oldest first. The caller must check access.
     */
    positions: (
      twinId: number,
      range: Range,
      max: number,
    ): Promise<{ positions: Position[]; more: boolean; reports: boolean }> =>
      readPositions(ctx.db, twinId, range, max),
    /**
     * The value that a state with these settings of `timeseries-aggregate` would have now, and the start of its period;
     * null while too many roll-ups of the period are out of date. The caller must check access to the source.
     */
    lookBack: (
      window: WindowSettings,
      sourceId: number,
    ): Promise<{ value: JsonValue; fromMs: number | null; count: number } | null> =>
      preview(ctx.db, window, sourceId, ctx.clock.now()),
    /** Values of states in a range, oldest first, at most the first `limit` of each; for files. The caller must check access. */
    valuesAfter: (asked: Parameters<typeof readAfter>[1]): Promise<TimedRow[]> => readAfter(ctx.db, asked),
    /** The last value of each state before a time; states without one are missing. The caller must check access. */
    lastBefore: (stateIds: readonly number[], timeMs: number): Promise<TimedRow[]> =>
      readLastBefore(ctx.db, stateIds, new Date(timeMs)),
    /** Average, sum, minimum, maximum and last value time of a range; states without values are missing. */
    totals: (stateIds: readonly number[], range: Range): Promise<Map<number, Totals>> =>
      readTotals(ctx.db, stateIds, range),
    /**
     * Counts, sums, extremes, and first and last values of states by interval (`starts`), from roll-ups where
     * these are exact. The caller must check access to the states.
     * @throws AppError REQUEST_TIMEOUT
     */
    summaries: (
      stateIds: readonly number[],
      range: Range,
      starts: readonly number[],
      options: { edges: ReadonlySet<EdgeName>; timeoutMs: number },
    ): Promise<Summary[]> => readSummaries(ctx.db, stateIds, range, starts, options),
    /**
     * Raw values of states in the order of their times, at most `max`. The caller must check access.
     * @throws AppError REQUEST_TIMEOUT
     */
    plainValues: (
      stateIds: readonly number[],
      range: Range,
      options: Parameters<typeof readPlainValues>[3],
    ): Promise<PlainValue[]> => readPlainValues(ctx.db, stateIds, range, options),
    /** Computes the states whose time has come; also runs every second. */
    wakeDue: (): Promise<number> => writer.wakeDue(ctx.clock.now()),
    /** Writes a value to each random state that is due now; also runs every second. */
    tickRandom: (now: Date): Promise<void> => random.tick(now),
    /**
     * Notes values that were replaced or deleted by other means than `store`, so that their roll-ups are
     * recomputed. Call it in the transaction of the change.
     */
    noteChanges,
    /** Announces that old values were deleted; call it after the transactions that did it. */
    announceDeleted: (): Promise<void> => announceCorrected(ctx.db, '*'),
    /** Computes the roll-ups that are due now; also runs automatically. */
    rollUp: (): Promise<void> => roller.settle(),
    /** Compacts all values that are old enough now; also runs automatically. */
    compact: (): Promise<void> => compactor.settle(),
    /**
     * Forgets known partitions after monthly ones were dropped, so that they are created again when needed.
     */
    forgetMonths(): void {
      writer.forgetMonths()
      roller.forgetMonths()
      compactor.forgetMonths()
    },
    startOnEach: (): Promise<void> => writer.deriver.start(),
    stopOnEach: (): Promise<void> => writer.deriver.stop(),
    start: async (): Promise<void> => {
      due.start()
      random.start()
      roller.start()
      compactor.start()
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await due.stop()
      await random.stop()
      await compactor.stop()
      await roller.stop()
    },
  }
}

export type { AggregationMethod, ChartOptions }
