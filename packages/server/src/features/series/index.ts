import type { LiveServerMessage, LiveValue } from '@leitstand/contract/live'
import type { AggregationDuration, AggregationMethod, Series } from '@leitstand/contract/series'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { Unit } from '../../platform/db/writer.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { TimedValue } from './aggregate.ts'
import { readTotals } from './aggregates.store.ts'
import {
  type Applied,
  type ApplyMode,
  applyValues,
  type ComputedInput,
  computeNow,
  moveTwins,
  type RefusedValue,
  type StoredValue,
  transformValues,
  type ValueInput,
} from './apply.ts'
import { StateCatalog } from './catalog.ts'
import { type ChartOptions, chartSeries, type Range } from './charts.ts'
import { corrector } from './corrections/index.ts'
import { type Position, readPositions } from './positions.ts'
import { RandomSource } from './random.ts'
import { changeStatements, noteChanges, Roller } from './rollups/index.ts'
import type { Totals } from './rollups/read.store.ts'
import { seriesRoutes, visibleScopes } from './routes.ts'
import { ensureMonths, readCurrent, readHeads, readRecent, readTwinCurrent, twinVisible } from './store.ts'
import {
  type EdgeName,
  type PlainValue,
  readPlainValues,
  readSummaries,
  type Summary,
} from './summaries.store.ts'

export { combine, newest, numbersOf, reduceNumbers, type TimedValue } from './aggregate.ts'
export type { Applied, ApplyMode, RefusedValue, StoredValue, ValueInput } from './apply.ts'
export { type Concerned, type Corrected, type Corrections, Sweep } from './corrections/index.ts'
export { visibleScopes } from './routes.ts'
export type { EdgeName, PlainValue, Summary } from './summaries.store.ts'
export { fromColumns, toColumns, typeOf, type ValueRow } from './values.ts'

/**
 * Payload of the event `values.stored`: what a transaction has stored, in the order it was applied, as far as anybody
 * follows it (`follow`).
 * A value is `[stateId, twinId, time in ms, value, is it the newest of its state]`.
 */
export interface ValuesStored {
  values: [stateId: number, twinId: number, timeMs: number, value: StoredValue['value'], isCurrent: boolean][]
}

/** Values in one event; a larger transaction appends several. */
const valuesPerEvent = 5_000
/** Values a rule may look back at. */
const recentMax = 10_000
const aheadMaxMs = 24 * 3_600_000

export type SeriesFeature = ReturnType<typeof register>

/**
 * Values of states: storing them with all that follows, reading them back as current value, history, chart.
 * All values of one process are stored one transaction after the other, so that aggregates never miss a source.
 */
export function register(ctx: Context) {
  const catalog = new StateCatalog()
  const months = new Set<string>()
  const listeners = new Set<(values: readonly StoredValue[]) => void>()
  const followers: ((stateId: number) => boolean)[] = []
  const roller = new Roller(ctx)
  const tools = { catalog, scripts: ctx.scripts }

  ctx.configChanges.on('states', (ids) => (ids === '*' ? catalog.clear() : catalog.forgetTwins(ids)))
  ctx.configChanges.on('twins', (ids) => (ids === '*' ? catalog.clear() : catalog.forgetTwins(ids)))
  ctx.configChanges.on('state_links', () => catalog.clear())

  /**
   * Runs one transaction that stores values, alone. `work` gets the transaction and `apply`; the events are appended
   * before the commit, the live feed hears of them after it.
   */
  async function store<T>(work: (unit: Unit, apply: Apply) => Promise<T>): Promise<T> {
    const stored: StoredValue[] = []
    const answer = await ctx.writer.transaction(async (unit) => {
      const answered: Promise<void>[] = []
      const result = await work(unit, async (inputs, mode = 'careful') => {
        const applied = await applyValues(unit, tools, inputs, mode)
        for (const value of applied.stored) stored.push(value)
        answered.push(...applied.answered)
        return applied
      })
      for (const statement of changeStatements(stored)) void unit.send(statement)
      // Consumers and the map want to know which values are the newest; nothing else has to wait for it.
      await Promise.all(answered)
      await moveTwins(unit.db, stored)
      const followed = stored.filter(({ stateId }) => followers.some((follows) => follows(stateId)))
      for (const statement of ctx.events.appending(toEvents(followed))) void unit.send(statement)
      return result
    })
    roller.noteActivity()
    announce(stored)
    return answer
  }

  /** Makes sure that the monthly partitions for these times exist; before the transaction, because it locks the table. */
  async function prepareMonths(table: 'state_values' | 'packets', times: Iterable<Date>): Promise<void> {
    const missing = new Set<string>()
    let [from, until] = [0, 0]
    for (const time of times) {
      const ms = time.getTime()
      if (ms >= from && ms < until) continue
      // Nearly all times of a batch lie in the same month.
      from = Date.UTC(time.getUTCFullYear(), time.getUTCMonth())
      until = Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1)
      const month = new Date(from).toISOString().slice(0, 10)
      if (!months.has(`${table} ${month}`)) missing.add(month)
    }
    if (missing.size === 0) return
    await ensureMonths(ctx.db, table, [...missing])
    for (const month of missing) months.add(`${table} ${month}`)
  }

  /**
   * Runs the transformers of the states these values are for; before the transaction that stores what comes out.
   * @throws AppError OVERLOADED when the sandbox cannot take the call now
   */
  const transform = <T extends ValueInput>(
    inputs: readonly T[],
  ): Promise<{ values: T[]; refused: RefusedValue[] }> => transformValues(ctx.db, tools, inputs)

  function announce(stored: readonly StoredValue[]): void {
    if (stored.length === 0) return
    for (const listener of listeners) listener(stored)
    if (!ctx.live.hasFollowersOf('twin')) return
    const byTwin = Map.groupBy(stored, ({ twinId }) => twinId)
    for (const [twinId, values] of byTwin) {
      const topic = `twin:${twinId}` as const
      if (ctx.live.hasFollowers(topic))
        ctx.live.publish(topic, { kind: 'values', topic, values: values.map(toLive) })
    }
  }

  /**
   * Stores values that do not come from packets (set by hand, by a rule, random). Transformers of the states do not
   * run. The same value at the same millisecond is stored once.
   * @param also is done in the same transaction
   * @throws AppError VALUE_WRONG_TYPE, DTWIN_STATE_NOT_FOUND, PACKET_TOO_FAR_AHEAD; then nothing is stored
   */
  async function write(values: readonly ValueInput[], also?: (tx: Executor) => Promise<void>): Promise<void> {
    const ahead = values.find(({ time }) => time.getTime() > ctx.clock.now().getTime() + aheadMaxMs)
    if (ahead !== undefined) throw new AppError('PACKET_TOO_FAR_AHEAD', { stateId: ahead.stateId })
    await prepareMonths(
      'state_values',
      values.map(({ time }) => time),
    )
    await store(async ({ db }, apply) => {
      const { refused } = await apply(values)
      const own = refused.find((refusal) => values.some((value) => value.stateId === refusal.stateId))
      if (own !== undefined) throw new AppError(own.code, { stateId: own.stateId }, own.message)
      await also?.(db)
    })
  }

  /** Computes aggregates from what their sources have now, e.g. after an aggregate was created or changed. */
  async function recompute(stateIds: readonly number[]): Promise<void> {
    await ctx.configChanges.settle()
    const metas = await catalog.get(ctx.db, stateIds)
    const current = await readCurrent(
      ctx.db,
      [...metas.values()].flatMap(({ sourceIds }) => sourceIds),
    )
    const inputs = [...metas.values()].flatMap((meta): ComputedInput[] => {
      const input = computeNow(meta, current)
      return input === null ? [] : [input]
    })
    await prepareMonths(
      'state_values',
      inputs.map(({ time }) => time),
    )
    const transformed = await transform(inputs)
    const applied = await store(async (_tx, apply) => apply(transformed.values))
    for (const { stateId, code, message } of [...transformed.refused, ...applied.refused])
      ctx.log.warn({ stateId, code }, `no first value: ${message}`)
  }

  /** Whether the caller may see values of this twin or device. */
  const mayFollow = (caller: Caller, twinId: number): Promise<boolean> =>
    twinVisible(ctx.db, twinId, visibleScopes(caller))

  ctx.live.topic('twin', {
    authorise: async (caller, id) => id !== null && mayFollow(caller, id),
    backfill: async (_caller, id, sinceMs): Promise<LiveServerMessage[]> => {
      const topic = `twin:${id as number}` as const
      const values = await readTwinCurrent(ctx.db, id as number, new Date(sinceMs))
      return values.length === 0 ? [] : [{ kind: 'values', topic, values }]
    },
  })

  const corrections = corrector({
    ...{ ctx, ...tools, prepareMonths, note: noteChanges },
    store: (work) => store((unit) => work(unit.db)),
  })
  const random = new RandomSource(ctx, write)
  return {
    routes: { series: seriesRoutes(ctx) },
    store,
    transform,
    write,
    recompute,
    prepareMonths,
    corrections,
    catalog,
    mayFollow,
    /**
     * Says which states' values a consumer of the event `values.stored` wants to see; all others are left out of it.
     * @param follows is asked for every stored value, so it has to be a look-up in memory; true when it does not know
     */
    follow: (follows: (stateId: number) => boolean) => void followers.push(follows),
    /** Hears of stored values after the commit; for the live feed only, a crash may lose it. */
    onStored: (listener: (values: readonly StoredValue[]) => void) => void listeners.add(listener),
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
     * Series for charts, at most 2 000 points each; `duration` absent: chosen from the range. The caller has checked
     * who may see the states; states that do not exist are left out.
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
     * Where a twin or device was in a period, by its states whose keys start with lat or lon: the newest `max` places,
     * oldest first. The caller has checked who may see it.
     */
    positions: (
      twinId: number,
      range: Range,
      max: number,
    ): Promise<{ positions: Position[]; more: boolean; reports: boolean }> =>
      readPositions(ctx.db, twinId, range, max),
    /** Average, sum, minimum and maximum of a range, and when the last value was; states without values are missing. */
    totals: (stateIds: readonly number[], range: Range): Promise<Map<number, Totals>> =>
      readTotals(ctx.db, stateIds, range),
    /**
     * Counts, sums, extremes and edges of states by intervals that begin at `starts`, from roll-ups where they are exact.
     * The caller has checked who may see the states.
     * @throws AppError REQUEST_TIMEOUT
     */
    summaries: (
      stateIds: readonly number[],
      range: Range,
      starts: readonly number[],
      options: { edges: ReadonlySet<EdgeName>; timeoutMs: number },
    ): Promise<Summary[]> => readSummaries(ctx.db, stateIds, range, starts, options),
    /**
     * Values of states as they are, in the order of their times, at most `max`. The caller has checked who may see them.
     * @throws AppError REQUEST_TIMEOUT
     */
    plainValues: (
      stateIds: readonly number[],
      range: Range,
      options: Parameters<typeof readPlainValues>[3],
    ): Promise<PlainValue[]> => readPlainValues(ctx.db, stateIds, range, options),
    /** Gives the random states that are due at this moment their value; runs every second by itself. */
    tickRandom: (now: Date): Promise<void> => random.tick(now),
    /**
     * Notes that values of these states at these times were replaced or deleted by other means than `store`, so that
     * their roll-ups are made anew; in the transaction of the change.
     */
    noteChanges,
    /** Makes the roll-ups that are due now; happens by itself. */
    rollUp: (): Promise<void> => roller.settle(),
    /** Monthly partitions were dropped: they are made again before something is stored in them. */
    forgetMonths(): void {
      months.clear()
      roller.forgetMonths()
    },
    start: async (): Promise<void> => {
      random.start()
      roller.start()
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await random.stop()
      await roller.stop()
    },
  }
}

/** Stores values within a transaction of `store`. */
export type Apply = (inputs: readonly (ValueInput | ComputedInput)[], mode?: ApplyMode) => Promise<Applied>
export type { AggregationMethod, ChartOptions }

function toEvents(stored: readonly StoredValue[]) {
  const events = []
  for (let from = 0; from < stored.length; from += valuesPerEvent) {
    const values: ValuesStored['values'] = stored
      .slice(from, from + valuesPerEvent)
      .map(({ stateId, twinId, time, value, isCurrent }) => [
        stateId,
        twinId,
        time.getTime(),
        value,
        isCurrent,
      ])
    events.push({ topic: 'values.stored', accountId: null, payload: { values } satisfies ValuesStored })
  }
  return events
}

/** A stored value as the live connection tells it. */
export function toLive({ stateId, twinId, key, value, time }: StoredValue): LiveValue {
  return { stateId, twinId, key, value, timeMs: time.getTime() }
}
