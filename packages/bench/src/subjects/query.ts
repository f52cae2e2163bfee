import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Options } from '../arguments.ts'
import { type Api, createApi } from '../client.ts'
import { openDatabase } from '../database.ts'
import { createAccount } from '../fleet.ts'
import { openPlatform } from '../platform.ts'
import { type Call, timeCalls, timingsTable, timingsToJson } from './calls.ts'
import type { Report, Say } from './report.ts'

const statesTotal = 100
const statesAtOnce = 10
const days = 365
const stepMinutes = 5
const dayMs = 86_400_000
const timeZone = 'Europe/Berlin'
const rollupMaxMs = 900_000
const rollupPollMs = 200

/** Charts over a year of 5-minute values of 100 states. */
export async function query(options: Options, say: Say, signal: AbortSignal): Promise<Report> {
  await using platform = await openPlatform(options, signal)
  if (platform.database === null) throw new Error('the database of the platform is not known')
  const api = createApi(platform.url, platform.token)
  await using database = await openDatabase(platform.database)
  const end = Math.floor(Date.now() / (stepMinutes * 60_000)) * stepMinutes * 60_000
  const { stateIds, values } = await fill(api, database, end, say, signal)
  const rollups = await rollUp(database, values, say, signal)
  const timings = await timeCalls(api, callsOver(stateIds, end), say, signal)
  const { seconds, rows, bytes, valuesBytes } = rollups
  return {
    json: { subject: 'query', states: statesTotal, values, rollups, calls: timingsToJson(timings) },
    lines: [
      ...timingsTable(timings),
      '',
      `${values} values, ${mb(valuesBytes)} MB; their roll-ups: ${rows} rows, ${mb(bytes)} MB, made in ${seconds} s`,
    ],
  }
}

const mb = (bytes: number) => Math.round(bytes / 1e6)

/**
 * Triggers the roll-ups of the values written to the tables, as after an upgrade, and waits for them.
 * @throws after a timeout
 */
export async function rollUp(database: pg.Client, values: number, say: Say, signal: AbortSignal) {
  say(`roll-ups of ${values} values`)
  const started = performance.now()
  await database.query(`
    insert into rollup_rebuilds (month)
    select to_date(right(relid::text, 7), 'YYYY_MM') from pg_partition_tree('state_values') where isleaf
    on conflict (month) do update set after_state_id = 0`)
  for (;;) {
    const { rows } = await database.query<{ open: boolean }>(
      'select exists (select from rollup_rebuilds) as open',
    )
    if (!rows[0]?.open) break
    if (performance.now() - started > rollupMaxMs) throw new Error('the roll-ups were not made in time')
    await delay(rollupPollMs, undefined, { signal })
  }
  const seconds = Math.round((performance.now() - started) / 100) / 10
  const tables = ['state_rollups_5m', 'state_rollups_1h', 'state_rollups_1d']
  for (const table of tables) await database.query(`vacuum analyze ${table}`)
  const [bytes, valuesBytes] = [await bytesOf(database, tables), await bytesOf(database, ['state_values'])]
  const { rows } = await database.query<{ count: string }>(
    tables.map((table) => `select count(*) from ${table}`).join(' union all '),
  )
  return { seconds, rows: rows.reduce((sum, { count }) => sum + Number(count), 0), bytes, valuesBytes }
}

/** Size of partitioned tables with their indexes. */
async function bytesOf(database: pg.Client, tables: readonly string[]): Promise<number> {
  const { rows } = await database.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(p.relid)) as bytes
    from unnest($1::text[]) as t (name), pg_partition_tree(t.name::regclass) as p`,
    [tables],
  )
  return Number(rows[0]?.bytes)
}

/**
 * Writes the year directly to the table: through the API it would take an hour. In order of time, so that the
 * values of one state are as scattered as in real use.
 */
export async function fill(
  api: Api,
  database: pg.Client,
  end: number,
  say: Say,
  signal: AbortSignal,
  states = statesTotal,
) {
  const account = await createAccount(api)
  const twin = await api.digitaltwin.create({ title: 'Charts', accountId: account.id })
  const { rows } = await database.query<{ id: number }>(
    `insert into states (twin_id, key, title, source)
    select $1, 'value_' || n, 'Value ' || n, 'none' from generate_series(1, $2::int) as n returning id`,
    [twin.id, states],
  )
  const stateIds = rows.map(({ id }) => id)
  let values = 0
  const stepDays = 5
  for (let day = days; day > 0; day -= stepDays) {
    signal.throwIfAborted()
    const from = new Date(end - day * dayMs)
    const to = new Date(end - Math.max(0, day - stepDays) * dayMs)
    for (const at of [from, to])
      await database.query(
        `select ensure_month_partition('state_values', date_trunc('month', $1::timestamptz)::date)`,
        [at],
      )
    const { rowCount } = await database.query(
      `insert into state_values (state_id, time, num)
      select id, t, round((20 + 8 * sin(extract(epoch from t) / 13751 + id) + random())::numeric, 2)::float8
      from generate_series($1::timestamptz, $2::timestamptz - interval '1 ms', make_interval(mins => $3)) as t,
        unnest($4::int[]) as id
      order by t, id`,
      [from, to, stepMinutes, stateIds],
    )
    values += rowCount ?? 0
    if (day % 50 === 0 || day === days)
      say(`${values} values of ${(days * dayMs * states) / (stepMinutes * 60_000)}`)
  }
  await database.query(
    `insert into state_current (state_id, time, num)
    select distinct on (state_id) state_id, time, num from state_values
    where state_id = any($1::int[]) and time > $2::timestamptz - interval '1 hour' order by state_id, time desc`,
    [stateIds, new Date(end)],
  )
  await database.query('vacuum analyze state_values')
  return { stateIds, values }
}

export function callsOver(stateIds: readonly number[], end: number): Call[] {
  const one = (round: number) => [stateIds[round % stateIds.length] as number]
  const several = (round: number) =>
    Array.from({ length: statesAtOnce }, (_, at) => stateIds[(round * 7 + at) % stateIds.length] as number)
  const range = (daysBack: number) => ({
    startDate: new Date(end - daysBack * dayMs).toISOString(),
    endDate: new Date(end).toISOString(),
  })
  type Duration = '5m' | '1h' | '1d' | '1mo'
  const aggregated = (
    name: string,
    states: (round: number) => number[],
    daysBack: number,
    duration: Duration,
  ): Call => ({
    name,
    run: async (api, round) => {
      const { series } = await api.series.searchAggregated({
        stateIds: states(round),
        duration,
        timeZone,
        method: 'avg',
        ...range(daysBack),
      })
      return { rows: series.reduce((sum, { points }) => sum + points.length, 0) }
    },
  })
  return [
    {
      name: 'latest 1 000 raw values',
      run: async (api, round) => {
        const { rows } = await api.series.postgresFetch({ stateIds: one(round), limit: 1000 })
        return { rows: rows.length }
      },
    },
    aggregated('one day in 5 minutes', one, 1, '5m'),
    aggregated('one month in 1 hour', one, 30, '1h'),
    aggregated(`one year in 1 day, ${timeZone}`, one, days, '1d'),
    aggregated(`one year in 1 month, ${timeZone}`, one, days, '1mo'),
    aggregated('ten states, one month in 1 hour', several, 30, '1h'),
  ]
}
