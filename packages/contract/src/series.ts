import * as z from 'zod'
import { Id, Json, ListFile, ListFileInput, listOf, operation, Time } from './common.ts'
import { may } from './permissions.ts'

/** The value of a state: number, text, boolean or any other JSON value. */
export const Value = Json

export const aggregationDurations = ['5m', '15m', '1h', '6h', '1d', '1w', '1mo'] as const
export const aggregationMethods = ['avg', 'min', 'max', 'sum', 'median', 'count', 'latest'] as const

export const AggregationDuration = z.enum(aggregationDurations)
export type AggregationDuration = z.infer<typeof AggregationDuration>
export const AggregationMethod = z.enum(aggregationMethods)
export type AggregationMethod = z.infer<typeof AggregationMethod>

export const seriesLimits = {
  /** states in one query */
  statesMax: 50,
  /** points of one series in a response; larger series are thinned (min-max) or refused (raw table) */
  pointsMax: 2000,
  tableRowsMax: 1000,
  rawLatest: 50,
  csvRowsMax: 1_000_000,
} as const

/** `[milliseconds since 1970, value]`; a null value is a gap. */
export const Point = z.tuple([z.number(), z.union([z.number(), z.string(), z.boolean(), z.null(), Json])])
export type Point = z.infer<typeof Point>

export const Series = z.object({
  stateId: Id,
  title: z.string(),
  twinId: Id,
  twinTitle: z.string(),
  unit: z.string(),
  /** shown with this many; null: as they are */
  decimals: z.int().nullable(),
  /** of the account of the state */
  timeZone: z.string(),
  points: z.array(Point),
  /** true when the server thinned the points to the limit */
  truncated: z.boolean(),
})
export type Series = z.infer<typeof Series>

const StateIds = z.array(Id).min(1).max(seriesLimits.statesMax)
const read = may('DigitalTwin', 'read')
export const readBoth = {
  any: [
    ...(read as { any: readonly { subject: 'DigitalTwin'; action: 'read' }[] }).any,
    { subject: 'VirtualDevice', action: 'read' } as const,
    { subject: 'Dashboards', action: 'read' } as const,
    { subject: 'DigitalTwinStates', action: 'read' } as const,
  ],
}

export const series = {
  /**
   * Raw values of several states in a range; series above 2 000 points are thinned by min-max, gaps are kept.
   */
  search: operation
    .meta({ rule: readBoth, clientTimeoutMs: 25_000, reads: 'replica', look: 'asks' })
    .route({ method: 'POST', path: '/time-series/search', tags: ['time series'], summary: 'Raw values' })
    .input(
      z.object({
        stateIds: StateIds,
        startDate: Time,
        endDate: Time,
        limit: z.int().min(1).max(seriesLimits.pointsMax).default(seriesLimits.pointsMax),
      }),
    )
    .output(z.object({ series: z.array(Series) })),
  /**
   * Values by interval. Days, weeks (from Monday) and months follow `timeZone`, default that of the state's
   * account. `min`, `max`, `latest` add companion series; `rawData` returns the last 50 raw values instead of
   * intervals.
   */
  searchAggregated: operation
    .meta({ rule: readBoth, clientTimeoutMs: 25_000, reads: 'replica', look: 'asks' })
    .route({
      method: 'POST',
      path: '/time-series/search-aggregated',
      tags: ['time series'],
      summary: 'Values by interval',
    })
    .input(
      z.object({
        stateIds: StateIds,
        startDate: Time,
        endDate: Time,
        method: AggregationMethod.default('avg'),
        duration: AggregationDuration.default('1h'),
        timeZone: z.string().max(64).optional(),
        min: z.boolean().default(false),
        max: z.boolean().default(false),
        latest: z.boolean().default(false),
        rawData: z.boolean().default(false),
      }),
    )
    .output(
      z.object({
        series: z.array(
          Series.extend({
            min: z.array(Point).optional(),
            max: z.array(Point).optional(),
            latest: z.array(Point).optional(),
          }),
        ),
      }),
    ),
  /**
   * The values of a state as CSV, newest first, streamed: times in the time zone of its account, numbers with the decimals
   * of the state. Limited by the account's CSV limit, else to a million rows; the last line says if there are more.
   */
  exportCsv: operation
    .meta({ rule: readBoth, clientTimeoutMs: 210_000, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/digitaltwin/states/{stateId}/csv-export',
      tags: ['time series'],
      summary: 'Values as CSV',
      outputStructure: 'detailed',
    })
    .input(
      z.object({
        stateId: Id,
        startDate: Time.optional(),
        endDate: Time.optional(),
        /** German spreadsheets expect semicolons and decimal commas, English ones commas and points */
        language: z.enum(['de', 'en']).default('en'),
      }),
    )
    .output(
      z.object({
        headers: z.object({ 'content-type': z.string(), 'content-disposition': z.string() }),
        /** the file */
        body: z.unknown(),
      }),
    ),
  /**
   * The values of states as a file, streamed, one state after the other and newest first. Files for people have times in the time
   * zone of the account of the first state, and with several states a row has the key of its state, so that the file can be
   * uploaded again; those for programs (JSON Lines, Parquet) have times in UTC, and always the state. Limited like `exportCsv`.
   */
  exportFile: operation
    .meta({ rule: readBoth, clientTimeoutMs: 210_000, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/time-series/export',
      tags: ['time series'],
      summary: 'Values as a file',
      outputStructure: 'detailed',
    })
    .input(
      z.object({
        stateIds: listOf(Id).pipe(StateIds),
        startDate: Time.optional(),
        endDate: Time.optional(),
        ...ListFileInput,
      }),
    )
    .output(ListFile),
  /**
   * The values of states page by page, newest first, with an optional condition on numbers. The next page is that before
   * the time and state of the last row; there is no end to the pages.
   */
  searchHistory: operation
    .meta({ rule: readBoth, clientTimeoutMs: 30_000, reads: 'replica', look: 'asks' })
    .route({
      method: 'POST',
      path: '/digitaltwin/states/history/search',
      tags: ['time series'],
      summary: 'Search the history',
    })
    .input(
      z.object({
        stateIds: StateIds,
        startDate: Time.optional(),
        endDate: Time.optional(),
        /** only numbers of at least this */
        min: z.number().optional(),
        /** only numbers of at most this */
        max: z.number().optional(),
        before: z.object({ time: Time, stateId: Id }).optional(),
        limit: z.int().min(1).max(seriesLimits.tableRowsMax).default(100),
      }),
    )
    .output(
      z.object({
        rows: z.array(z.object({ stateId: Id, time: Time, value: Value })),
        /** where the next page begins; null: this is the last one */
        next: z.object({ time: Time, stateId: Id }).nullable(),
      }),
    ),
  /** Rows for a table, newest first, at most 1 000. */
  postgresFetch: operation
    .meta({ rule: readBoth, clientTimeoutMs: 25_000, reads: 'replica', look: 'asks' })
    .route({
      method: 'POST',
      path: '/digitaltwin/states/postgres-fetch',
      tags: ['time series'],
      summary: 'Rows of values',
    })
    .input(
      z.object({
        stateIds: StateIds,
        startDate: Time.optional(),
        endDate: Time.optional(),
        limit: z.int().min(1).max(seriesLimits.tableRowsMax).default(seriesLimits.tableRowsMax),
      }),
    )
    .output(
      z.object({
        rows: z.array(z.object({ stateId: Id, time: Time, value: Value })),
        /** true when there are more rows in the range */
        more: z.boolean(),
      }),
    ),
}
