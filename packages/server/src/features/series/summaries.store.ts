import { sql } from 'kysely'
import { type Db, type Executor, isStatementTimeout } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import { readFresh, readingsOf } from './aggregates.store.ts'
import { orderedValuesOf } from './days/read.ts'
import { numberOf } from './rollups/combine.ts'
import { raw } from './rollups/cover.ts'
import { slotMs } from './rollups/levels.ts'
import { bucketOf, made, type Reading, startOf } from './rollups/read.store.ts'

interface Range {
  start: Date
  end: Date
}

/** The first or last value of an interval, with its time in milliseconds since 1970. */
export type Edge<T> = readonly [timeMs: number, value: T]

/**
 * Summary of an interval of a state: its numbers (true is 1, false is 0), and the count of texts and JSON
 * values.
 */
export interface Summary {
  stateId: number
  /** start of the interval */
  startMs: number
  numbers: number
  texts: number
  /** null without numbers, and if they are too large to be added */
  sum: number | null
  min: number | null
  max: number | null
  /** edges are null unless requested */
  firstNumber: Edge<number> | null
  lastNumber: Edge<number> | null
  firstText: Edge<string> | null
  lastText: Edge<string> | null
}

/** The edges of intervals to read; each needs a look-up in the raw values. */
export type EdgeName = 'firstNumber' | 'lastNumber' | 'firstText' | 'lastText'

/** A value as a number, or everything else as text. */
const kinds = {
  number: { value: numberOf, is: sql`(num is not null or bool is not null)`, count: sql`made.count` },
  text: {
    value: sql`coalesce(txt, json::text)`,
    is: sql`(txt is not null or json is not null)`,
    count: sql`made.total - made.count`,
  },
} as const

const edgesOf = {
  firstNumber: { kind: kinds.number, order: 'asc' },
  lastNumber: { kind: kinds.number, order: 'desc' },
  firstText: { kind: kinds.text, order: 'asc' },
  lastText: { kind: kinds.text, order: 'desc' },
} as const

/**
 * Summaries of states by interval, ascending by state and time; intervals without values are missing. Like
 * `readIntervals`, reads one snapshot from the coarsest roll-ups that are exact.
 * @param starts starts of the intervals, ascending; the first is not after the start of the range
 * @throws AppError REQUEST_TIMEOUT when the database needs longer than `timeoutMs` for a statement
 */
export async function readSummaries(
  db: Db,
  stateIds: readonly number[],
  range: Range,
  starts: readonly number[],
  options: { edges: ReadonlySet<EdgeName>; timeoutMs: number },
): Promise<Summary[]> {
  const joins = [...options.edges].map((name) => {
    const { kind, order } = edgesOf[name]
    return sql`left join lateral (
      select json_build_array((extract(epoch from time) * 1000)::float8, ${kind.value}) as edge from ${orderedValuesOf(
        {
          state: sql`made.state_id`,
          since: sql`made.first_time`,
          until: sql`made.last_time`,
          where: kind.is,
        },
        order,
        1,
      )} as v
    ) as ${sql.ref(name)} on ${kind.count} > 0`
  })
  const edge = (name: EdgeName) =>
    options.edges.has(name) ? sql`${sql.ref(name)}.edge as ${sql.ref(name)}` : sql`null as ${sql.ref(name)}`
  return withinTime(() =>
    readFresh(db, stateIds, range, async (tx, freshness, span) => {
      if (span.fromMs >= span.toMs) return []
      await limitTime(tx, options.timeoutMs)
      const intervals = { starts }
      // Roll-ups can be used only if the intervals start at multiples of 5 minutes of UTC.
      const readings: Reading[] = starts.every((start) => start <= span.fromMs || start % slotMs === 0)
        ? readingsOf(freshness, stateIds, { ...span, intervals })
        : [{ stateIds, stretches: [{ source: raw, ...span }] }]
      const { rows } = await sql<Omit<Summary, 'startMs'> & { bucket: number }>`
        with ${made(readings, bucketOf(sql.ref('at'), intervals))}
        select made.state_id as "stateId", bucket, made.count as numbers, made.total - made.count as texts,
          sum, min, max, ${edge('firstNumber')}, ${edge('lastNumber')}, ${edge('firstText')}, ${edge('lastText')}
        from made ${sql.join(joins, sql` `)}
        order by made.state_id, bucket`.execute(tx)
      return rows.map(({ bucket, ...row }) => ({ ...row, startMs: startOf(bucket, intervals) }))
    }),
  )
}

/** A raw value: a number (true is 1, false is 0), or a text or JSON as text. */
export interface PlainValue {
  stateId: number
  timeMs: number
  number: number | null
  text: string | null
}

/**
 * Values of several states in the order of their times.
 * @param options `perState` and `max` limit the values of each state and of all states
 * @throws AppError REQUEST_TIMEOUT when the database needs longer than `timeoutMs`
 */
export async function readPlainValues(
  db: Db,
  stateIds: readonly number[],
  range: Range,
  options: {
    numbers: boolean
    texts: boolean
    descending: boolean
    perState: number
    max: number
    timeoutMs: number
  },
): Promise<PlainValue[]> {
  const order = options.descending ? sql`desc` : sql`asc`
  const wanted = [
    ...(options.numbers ? [kinds.number.is] : []),
    ...(options.texts ? [kinds.text.is] : []),
    sql`false`,
  ]
  return withinTime(() =>
    db
      .transaction()
      .setAccessMode('read only')
      .execute(async (tx) => {
        await limitTime(tx, options.timeoutMs)
        const { rows } = await sql<PlainValue>`
          select v.state_id as "stateId", (extract(epoch from v.time) * 1000)::float8 as "timeMs", v.number, v.text
          from unnest(${[...stateIds]}::int[]) as wanted (id),
          lateral (
            select state_id, time, ${kinds.number.value} as number, ${kinds.text.value} as text
            from ${orderedValuesOf(
              {
                state: sql`wanted.id`,
                since: range.start,
                before: range.end,
                where: sql.join(wanted, sql` or `),
              },
              options.descending ? 'desc' : 'asc',
              options.perState,
            )} as v
          ) as v
          order by v.time ${order}, v.state_id limit ${options.max}`.execute(tx)
        return rows
      }),
  )
}

/** Sets the statement timeout for the rest of this transaction. */
async function limitTime(tx: Executor, ms: number): Promise<void> {
  await sql`set local statement_timeout = ${sql.lit(Math.max(1, Math.round(ms)))}`.execute(tx)
}

async function withinTime<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (isStatementTimeout(error)) throw new AppError('REQUEST_TIMEOUT')
    throw error
  }
}
