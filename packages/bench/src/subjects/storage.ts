import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { createApi } from '../client.ts'
import { openDatabase } from '../database.ts'
import { admin, clusterOf, startServer, temporaryFolder } from '../platform.ts'
import { cell, table } from '../report/table.ts'
import { type Call, type Timing, timeCalls, timingsToJson } from './calls.ts'
import { callsOver, fill, rollUp } from './query.ts'
import type { Report, Say } from './report.ts'

const statesTotal = 20
const afterDays = 7
const dayMs = 86_400_000
const compactMaxMs = 1_800_000
const pollMs = 500
/** Size of a month without values, with its indexes. */
const emptyBytes = 65_536

/** Bytes of the values of a year before and after compaction, and what charts over it take. */
export async function storage(say: Say, signal: AbortSignal): Promise<Report> {
  using folder = temporaryFolder()
  const end = Math.floor(Date.now() / 300_000) * 300_000
  const before = await (async () => {
    await using server = await startServer(folder.path, signal, { COMPACT_AFTER_DAYS: '0' })
    await using database = await openDatabase(databaseOf(folder.path))
    const api = createApi(server.url, (await createApi(server.url).auth.login(admin)).token)
    const { stateIds, values } = await fill(api, database, end, say, signal, statesTotal)
    await rollUp(database, values, say, signal)
    const timings = await timeCalls(api, calls(stateIds, end), say, signal)
    return { stateIds, values, timings, bytes: await bytesByKind(database) }
  })()
  await using server = await startServer(folder.path, signal, { COMPACT_AFTER_DAYS: String(afterDays) })
  await using database = await openDatabase(databaseOf(folder.path))
  const api = createApi(server.url, (await createApi(server.url).auth.login(admin)).token)
  say('compaction')
  const started = performance.now()
  await compacted(database, signal)
  const seconds = Math.round((performance.now() - started) / 1000)
  await database.query('vacuum analyze value_days')
  const timings = await timeCalls(api, calls(before.stateIds, end), say, signal)
  const bytes = await bytesByKind(database)
  const points = await pointsByKind(database)
  const { values } = before
  return {
    json: {
      subject: 'storage',
      values,
      seconds,
      bytesBefore: before.bytes,
      bytesAfter: bytes,
      points,
      callsBefore: timingsToJson(before.timings),
      callsAfter: timingsToJson(timings),
    },
    lines: [
      ...table([
        ['bytes per value, indexes included', 'before', 'after'],
        ['rows that are left, with the space of those of this month', '', cell(bytes.rows / points.rows)],
        ['values of earlier days', '', cell(bytes.days / points.days)],
        ['all values', cell(before.bytes.rows / values), cell((bytes.rows + bytes.days) / values)],
        ['roll-ups', cell(before.bytes.rollups / values), cell(bytes.rollups / values)],
      ]),
      '',
      ...table([
        ['p50, ms', 'before', 'after'],
        ...before.timings.map((timing, place) => [timing.name, p50(timing), p50(timings[place])]),
      ]),
      '',
      `${values} values; those older than ${afterDays} days were compacted in ${seconds} s`,
    ],
  }
}

function databaseOf(dataDir: string): pg.ClientConfig {
  const found = clusterOf(dataDir)
  if (found === null) throw new Error('the database of the platform is not known')
  return found
}

const p50 = (timing: Timing | undefined) => cell(timing?.latency.percentile(0.5) ?? null)

/** Charts, and raw values of days that are compacted. */
function calls(stateIds: readonly number[], end: number): Call[] {
  const raw = (name: string, daysBack: number, lengthDays: number): Call => ({
    name,
    run: async (api, round) => {
      const from = end - daysBack * dayMs
      const { rows } = await api.series.postgresFetch({
        stateIds: [stateIds[round % stateIds.length] as number],
        startDate: new Date(from).toISOString(),
        endDate: new Date(from + lengthDays * dayMs).toISOString(),
        limit: 1000,
      })
      return { rows: rows.length }
    },
  })
  return [
    ...callsOver(stateIds, end),
    raw('288 raw values of a day half a year ago', 180, 1),
    raw('1 000 raw values of a month half a year ago', 180, 30),
  ]
}

/** Waits until no value is left to be compacted and the space of the months is given back. */
async function compacted(database: pg.Client, signal: AbortSignal): Promise<void> {
  const started = performance.now()
  const border = new Date((Math.floor(Date.now() / dayMs) - afterDays) * dayMs)
  for (;;) {
    const { rows } = await database.query<{ open: boolean }>(
      `select exists (select from state_values where time < $1) or exists (
        select from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'state_values'::regclass
          and (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC' <= $1
          and pg_total_relation_size(c.oid) > ${emptyBytes}) as open`,
      [border],
    )
    if (!rows[0]?.open) return
    if (performance.now() - started > compactMaxMs) throw new Error('the values were not compacted in time')
    await delay(pollMs, undefined, { signal })
  }
}

interface Bytes {
  rows: number
  days: number
  rollups: number
}

async function bytesByKind(database: pg.Client): Promise<Bytes> {
  const { rows } = await database.query<Bytes>(
    `select sum(pg_total_relation_size(p.relid)) filter (where t.kind = 'rows')::float8 as rows,
      coalesce(sum(pg_total_relation_size(p.relid)) filter (where t.kind = 'days'), 0)::float8 as days,
      sum(pg_total_relation_size(p.relid)) filter (where t.kind = 'rollups')::float8 as rollups
    from (values ('rows', 'state_values'), ('days', 'value_days'), ('rollups', 'state_rollups_5m'),
      ('rollups', 'state_rollups_1h'), ('rollups', 'state_rollups_1d')) as t (kind, name),
      pg_partition_tree(t.name::regclass) as p`,
  )
  return rows[0] as Bytes
}

async function pointsByKind(database: pg.Client): Promise<{ rows: number; days: number }> {
  const { rows } = await database.query<{ rows: number; days: number }>(
    `select (select count(*) from state_values)::float8 as rows,
      (select sum(cardinality(coalesce(offsets, '{}')) + case when offsets is null
        then cardinality(coalesce(smalls::float8[], ints::float8[], nums)) else 0 end) from value_days)::float8 as days`,
  )
  return rows[0] as { rows: number; days: number }
}
