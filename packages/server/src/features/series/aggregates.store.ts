import type { AggregationDuration, AggregationMethod } from '@leitstand/contract/series'
import type { Db, Executor } from '../../platform/db/index.ts'
import { firstIntervals, fixedMs, nextInterval } from './intervals.ts'
import { cover, cutsOf, raw, type Stale } from './rollups/cover.ts'
import { hourMs } from './rollups/levels.ts'
import {
  type Freshness,
  type IntervalRow,
  type Intervals,
  type Reading,
  readFreshness,
  readMedians,
  readStretches,
  readWhole,
  type Totals,
} from './rollups/read.store.ts'

export type { IntervalRow } from './rollups/read.store.ts'

interface Options {
  method: AggregationMethod
  duration: AggregationDuration
  timeZone: string
  extremes: boolean
  latest: boolean
}

interface Range {
  start: Date
  end: Date
}

/** Roll-ups gain little in ranges up to this length. */
const rawOnlyMs = 3 * hourMs
/** Intervals per statement; longer ranges take several statements. */
const intervalsMax = 100_000

/**
 * Values by interval, ascending. Numbers only, with true as 1 and false as 0, except `latest` and `count`, which take
 * values of every type. Intervals without values are missing; sums of numbers too large to be added are null.
 *
 * Reads one snapshot, from the coarsest roll-ups that give exactly the same result as the raw values. Sums of
 * numbers that binary fractions cannot represent may differ in the last digits, because the order of addition
 * differs.
 */
export async function readIntervals(
  db: Db,
  stateIds: readonly number[],
  range: Range,
  options: Options,
): Promise<IntervalRow[]> {
  const { method } = options
  const latest = options.latest || method === 'latest'
  return readFresh(db, stateIds, range, async (tx, freshness, span) => {
    const found: IntervalRow[] = []
    for (const piece of piecesOf(span, options)) {
      const read =
        method === 'median'
          ? await readMedians(tx, stateIds, piece, piece.intervals, { extremes: options.extremes, latest })
          : await readStretches(tx, readingsOf(freshness, stateIds, piece), piece.intervals, {
              method,
              latest,
              extremes: options.extremes,
            })
      for (const row of read) found.push(method === 'latest' ? { ...row, value: row.latest } : row)
    }
    return found
  })
}

/** Average, sum, minimum, maximum and last value time of a range; states without values are missing. */
export async function readTotals(
  db: Db,
  stateIds: readonly number[],
  range: Range,
): Promise<Map<number, Totals>> {
  return readFresh(db, stateIds, range, async (tx, freshness, span) => {
    if (span.fromMs >= span.toMs) return new Map()
    const piece = { ...span, intervals: { starts: [span.fromMs] } }
    return readWhole(tx, readingsOf(freshness, stateIds, piece))
  })
}

/**
 * Runs `read` on one snapshot, with the freshness of the roll-ups and the range clipped to existing
 * partitions.
 */
export function readFresh<T>(
  db: Db,
  stateIds: readonly number[],
  range: Range,
  read: (tx: Executor, freshness: Freshness, span: { fromMs: number; toMs: number }) => Promise<T>,
): Promise<T> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      const freshness = await readFreshness(tx, stateIds, range)
      const fromMs = Math.max(range.start.getTime(), freshness.span.fromMs)
      const toMs = Math.min(range.end.getTime(), freshness.span.toMs)
      return read(tx, freshness, { fromMs, toMs })
    })
}

/** A part of a range with the intervals that overlap it. */
interface Piece {
  fromMs: number
  toMs: number
  intervals: Intervals
}

/** Splits a range at interval starts, so that no part has more than `intervalsMax`. */
function* piecesOf(range: { fromMs: number; toMs: number }, options: Options): Generator<Piece> {
  const { duration, timeZone } = options
  const lengthMs = fixedMs[duration]
  if (lengthMs !== undefined) {
    if (range.fromMs < range.toMs) yield { ...range, intervals: { lengthMs } }
    return
  }
  for (let { fromMs } = range; fromMs < range.toMs; ) {
    const starts = firstIntervals(fromMs, range.toMs, duration, timeZone, intervalsMax)
    const last = starts.at(-1) as number
    const toMs = Math.min(range.toMs, nextInterval(last, duration, timeZone))
    yield { fromMs, toMs, intervals: { starts } }
    fromMs = toMs
  }
}

/** The sources to read each state from; states with the same stretches share a reading. */
export function readingsOf(freshness: Freshness, stateIds: readonly number[], piece: Piece): Reading[] {
  const { fromMs, toMs, intervals } = piece
  if (toMs - fromMs <= rawOnlyMs || freshness.isBehind)
    return [{ stateIds, stretches: [{ source: raw, fromMs, toMs }] }]
  const cuts = 'starts' in intervals ? cutsOf(intervals.starts) : null
  const groups = Map.groupBy(stateIds, (stateId) => nameOfStale(freshness, stateId))
  return [...groups.values()].map((group) => ({
    stateIds: group,
    stretches: cover(piece, cuts, staleFor(freshness, group[0] as number)),
  }))
}

const nameOfStale = ({ staleOf }: Freshness, stateId: number): string => {
  const own = staleOf.get(stateId)
  return own === undefined ? '' : `${[...own.days].sort().join()} ${[...own.hours].sort().join()}`
}

function staleFor({ stale, staleOf }: Freshness, stateId: number): Stale {
  const own = staleOf.get(stateId)
  if (own === undefined) return stale
  return {
    days: new Set([...stale.days, ...own.days]),
    hours: new Set([...stale.hours, ...own.hours]),
  }
}
