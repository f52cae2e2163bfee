import { seriesLimits } from '@leitstand/contract/series'
import { DateTime } from 'luxon'
import type { Context } from '../../platform/context.ts'
import { streamOf } from '../../platform/csv.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { dispositionOf } from '../../platform/http/disposition.ts'
import { os } from '../../platform/http/implement.ts'
import { readCsvLimit } from '../activity/index.ts'
import { titledFor } from '../drivers/index.ts'
import { intervalSeries, type Range, rawSeries } from './charts.ts'
import { csvLines, valuesIn } from './files.ts'
import { hasMoreRows, readHeads, readRange, readRows, type SeriesHead, searchRows } from './store.ts'

/** The operations of the time series. */
export function seriesRoutes(ctx: Context) {
  /** Heads of the requested states in order. @throws AppError DTWIN_STATE_NOT_FOUND if one is not visible */
  async function headsFor(caller: Caller, stateIds: readonly number[]): Promise<SeriesHead[]> {
    const heads = await readHeads(ctx.db, stateIds, visibleScopes(caller))
    return [...new Set(stateIds)].map((stateId) => {
      const head = heads.get(stateId)
      if (head === undefined) throw new AppError('DTWIN_STATE_NOT_FOUND', { stateId })
      return titledFor(caller, head)
    })
  }

  /** How many rows a file may have. */
  async function rowsMaxFor(caller: Caller): Promise<number> {
    const limit = await readCsvLimit(ctx.db, { userId: caller.userId, accountId: caller.accountId })
    return Math.min(limit ?? seriesLimits.csvRowsMax, seriesLimits.csvRowsMax)
  }

  return {
    search: os.series.search.handler(async ({ input, context }) => {
      const range = toRange(input.startDate, input.endDate)
      const heads = await headsFor(context.caller, input.stateIds)
      return { series: await rawSeries(ctx.db, heads, range, input.limit) }
    }),
    searchAggregated: os.series.searchAggregated.handler(async ({ input, context }) => {
      const range = toRange(input.startDate, input.endDate)
      if (input.timeZone !== undefined && !DateTime.now().setZone(input.timeZone).isValid) {
        throw new AppError('PARAMETER_VALIDATION_ERROR', {
          issues: [{ path: 'timeZone', message: 'not a time zone' }],
        })
      }
      const heads = await headsFor(context.caller, input.stateIds)
      if (input.rawData) return { series: await latestRaw(ctx, heads, range) }
      return { series: await intervalSeries(ctx.db, heads, range, input, seriesLimits.pointsMax) }
    }),
    searchHistory: os.series.searchHistory.handler(async ({ input, context }) => {
      const { min, max, before, limit } = input
      const range = openRange(input.startDate, input.endDate)
      const heads = await headsFor(context.caller, input.stateIds)
      const found = await searchRows(
        ctx.db,
        heads.map(({ stateId }) => stateId),
        range,
        {
          min,
          max,
          before: before && { time: new Date(before.time), stateId: before.stateId },
          limit: limit + 1,
        },
      )
      const rows = found.slice(0, limit).map((row) => ({ ...row, time: row.time.toISOString() }))
      const last = found.length > limit ? rows.at(-1) : undefined
      return { rows, next: last === undefined ? null : { time: last.time, stateId: last.stateId } }
    }),
    postgresFetch: os.series.postgresFetch.handler(async ({ input, context }) => {
      const { start, end } = openRange(input.startDate, input.endDate)
      const heads = await headsFor(context.caller, input.stateIds)
      const rows = await readRows(
        ctx.db,
        heads.map(({ stateId }) => stateId),
        { start, end },
        input.limit + 1,
      )
      return {
        rows: rows.slice(0, input.limit).map((row) => ({ ...row, time: row.time.toISOString() })),
        more: rows.length > input.limit,
      }
    }),
    exportCsv: os.series.exportCsv.handler(async ({ input, context: { caller } }) => {
      const { stateId, startDate, endDate, language } = input
      const [head] = (await headsFor(caller, [stateId])) as [SeriesHead]
      const options = { language, rowsMax: await rowsMaxFor(caller), withKeys: false }
      return {
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': dispositionOf(`${head.twinTitle} ${head.title}.csv`),
        },
        body: streamOf(csvLines(ctx.db, [head], openRange(startDate, endDate), options)),
      }
    }),
    exportFile: os.series.exportFile.handler(async ({ input, context: { caller } }) => {
      const { stateIds, startDate, endDate, language, format } = input
      const heads = await headsFor(caller, stateIds)
      const [first, ...others] = heads as [SeriesHead, ...SeriesHead[]]
      const isOfOne = others.every(({ twinId }) => twinId === first.twinId)
      const own = others.length === 0 ? `${first.twinTitle} ${first.title}` : first.twinTitle
      const name = isOfOne ? own : language === 'de' ? 'Datenpunkte' : 'States'
      const options = { language, rowsMax: await rowsMaxFor(caller), withKeys: others.length > 0 }
      const range = openRange(startDate, endDate)
      const ids = heads.map(({ stateId }) => stateId)
      const isCut = await hasMoreRows(ctx.db, ids, range, options.rowsMax)
      const { type, pieces } = valuesIn(format, ctx.db, heads, range, { ...options, sheet: name })
      return {
        headers: {
          'content-type': type,
          'content-disposition': dispositionOf(`${name}.${format}`),
          ...(isCut ? { 'x-rows-left-out': 'true' as const } : {}),
        },
        body: streamOf<string | Uint8Array>(pieces),
      }
    }),
  }
}

/** The last 50 raw values of each state within the range. */
async function latestRaw(ctx: Context, heads: readonly SeriesHead[], range: Range) {
  const values = await readRange(
    ctx.db,
    heads.map(({ stateId }) => stateId),
    range,
    seriesLimits.rawLatest,
  )
  return heads.map(({ key: _, ...head }) => ({
    ...head,
    points: (values.get(head.stateId) ?? []).map(({ timeMs, value }): [number, typeof value] => [
      timeMs,
      value,
    ]),
    truncated: false,
  }))
}

/** Scopes in which the caller may read values, by category of their object. */
export function visibleScopes(caller: Caller): { digitalTwin: number[]; virtualDevice: number[] } {
  const boards = caller.scopeIds('Dashboards', 'read')
  return {
    digitalTwin: [
      ...caller.scopeIds('DigitalTwin', 'read'),
      ...caller.scopeIds('DigitalTwinStates', 'read'),
      ...boards,
    ],
    virtualDevice: [
      ...caller.scopeIds('VirtualDevice', 'read'),
      ...caller.scopeIds('VirtualDevice', 'manage'),
      ...boards,
    ],
  }
}

/** A period that may have no beginning or no end. @throws AppError INVALID_DATE_RANGE */
function openRange(
  startDate: string | undefined,
  endDate: string | undefined,
): { start: Date | null; end: Date | null } {
  if (startDate !== undefined && endDate !== undefined) return toRange(startDate, endDate)
  return {
    start: startDate === undefined ? null : new Date(startDate),
    end: endDate === undefined ? null : new Date(endDate),
  }
}

function toRange(startDate: string, endDate: string): Range {
  const range = { start: new Date(startDate), end: new Date(endDate) }
  if (range.start >= range.end) throw new AppError('INVALID_DATE_RANGE', { startDate, endDate })
  return range
}
