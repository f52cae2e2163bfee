import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { BackgroundJob } from '@leitstand/contract/jobs'
import type { Options } from '../arguments.ts'
import { type Api, createApi } from '../client.ts'
import { openDatabase } from '../database.ts'
import { createAccount } from '../fleet.ts'
import { admin, clusterOf, type Server, startServer, temporaryFolder } from '../platform.ts'
import { rssOf } from '../processes.ts'
import { cell, table } from '../report/table.ts'
import type { Report, Say } from './report.ts'

const twins = 1_000
const statesOfTwin = 2
const rowsAtOnce = 500_000
const pollMs = 500
const exportMaxMs = 3_600_000
const megabyte = 1024 * 1024
/** Memory is flat if the end of a run needs at most a tenth more than its middle. */
const growthMax = 1.1

const range = { start: '2026-01-01T00:00:00Z', end: '2027-01-01T00:00:00Z' }
type Format = 'csv' | 'jsonl' | 'parquet' | 'xlsx'

interface Run {
  name: string
  rows: number
  seconds: number
  bytes: number
  /** of the server, at half of the run and at its end */
  rssMiddle: number | null
  rssEnd: number | null
  rssMax: number | null
}

/**
 * Exports of many rows (`--rows`, default 10 million): rows a second by format, whether memory stays flat, and whether a file
 * is the same when the server is killed in the middle.
 */
export async function exportRows(options: Options, say: Say, signal: AbortSignal): Promise<Report> {
  using folder = temporaryFolder()
  let server = await startServer(folder.path, signal)
  try {
    const open = async () => createApi(server.url, (await createApi(server.url).auth.login(admin)).token)
    let api = await open()
    const asked = await fill(api, folder.path, options.rows, say, signal)
    const runs: Run[] = []
    const whole = await measured(api, server, { ...asked, name: 'CSV' }, say, signal)
    runs.push(whole.run)
    say('CSV again, killed in the middle')
    const begun = await begin(api, { ...asked, name: 'CSV, killed' })
    await progress(api, begun.id, options.rows / 2, signal)
    process.kill(server.pid, 'SIGKILL')
    await server[Symbol.asyncDispose]()
    server = await startServer(folder.path, signal)
    api = await open()
    await progress(api, begun.id, null, signal)
    const [before, after] = [await digest(server, whole.id), await digest(server, begun.id)]
    const isSame = before.sha === after.sha && before.lines === options.rows
    for (const format of ['jsonl', 'parquet', 'xlsx'] as const)
      runs.push((await measured(api, server, { ...asked, name: format, format }, say, signal)).run)
    const isFlat = runs.every(
      ({ rssMiddle, rssEnd }) => rssMiddle === null || rssEnd === null || rssEnd <= growthMax * rssMiddle,
    )
    return {
      json: { subject: 'exports', rows: options.rows, runs, isSame, isFlat },
      lines: [
        ...table([
          ['export', 'rows', 'seconds', 'rows/s', 'file MB', 'MiB middle', 'MiB end', 'MiB max'],
          ...runs.map(({ name, rows, seconds, bytes, rssMiddle, rssEnd, rssMax }) => [
            name,
            cell(rows),
            cell(seconds),
            cell(Math.round(rows / seconds)),
            cell(Math.round(bytes / 1e6)),
            ...[rssMiddle, rssEnd, rssMax].map((rss) =>
              cell(rss === null ? null : Math.round(rss / megabyte)),
            ),
          ]),
        ]),
        '',
        `lines in the file: ${before.lines}; killed in the middle and resumed, the file is ${isSame ? 'the same' : 'another'}`,
      ],
      isClean: isSame && isFlat,
    }
  } finally {
    await server[Symbol.asyncDispose]()
  }
}

interface Asked {
  name: string
  twinId: number
  format?: Format
}

async function begin(api: Api, { name, twinId, format = 'csv' }: Asked): Promise<BackgroundJob> {
  return api.exporting.bulk({
    title: `Export ${name}`,
    selection: { of: 'digitalTwins', filter: {}, within: twinId },
    range,
    format,
    formatting: { header: false, language: 'en', timeZone: 'Europe/Berlin' },
  })
}

/** Waits until an export has so many rows; null: until it is done. @throws when it fails or takes too long */
async function progress(
  api: Api,
  id: number,
  rows: number | null,
  signal: AbortSignal,
  look?: (job: BackgroundJob) => void,
): Promise<BackgroundJob> {
  const deadline = performance.now() + exportMaxMs
  for (;;) {
    const job = await api.job.get({ id })
    look?.(job)
    if (job.state === 'done') return job
    if (rows !== null && Number(job.result.rows ?? 0) >= rows) return job
    if (job.error) throw new Error(`the export failed: ${job.error.message}`)
    if (performance.now() > deadline) throw new Error('the export was not done in time')
    await delay(pollMs, undefined, { signal })
  }
}

async function measured(
  api: Api,
  server: Server,
  asked: Asked,
  say: Say,
  signal: AbortSignal,
): Promise<{ id: number; run: Run }> {
  say(asked.name)
  const started = performance.now()
  const { id } = await begin(api, asked)
  const seen: number[] = []
  const job = await progress(api, id, null, signal, () => {
    const rss = rssOf(server.pid, server.databasePid)
    if (rss !== null) seen.push(rss)
  })
  const seconds = (performance.now() - started) / 1000
  if (!job.file) throw new Error('the export has no file')
  return {
    id,
    run: {
      name: asked.name,
      rows: job.file.rows,
      seconds,
      bytes: job.file.size,
      rssMiddle: seen[Math.floor(seen.length / 2)] ?? null,
      rssEnd: seen.at(-1) ?? null,
      rssMax: seen.length === 0 ? null : Math.max(...seen),
    },
  }
}

/** The hash and number of lines of a file, read as it comes. */
async function digest(server: Server, id: number): Promise<{ sha: string; lines: number }> {
  const { token } = await createApi(server.url).auth.login(admin)
  const answer = await fetch(`${server.url}/api/background-jobs/${id}/file`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (!answer.ok || !answer.body) throw new Error(`the file was answered with ${answer.status}`)
  const hash = createHash('sha256')
  let lines = 0
  for await (const bytes of answer.body) {
    hash.update(bytes)
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++
  }
  return { sha: hash.digest('hex'), lines }
}

/** Writes the values directly to the table; through the API it would take an hour. */
async function fill(
  api: Api,
  folder: string,
  rows: number,
  say: Say,
  signal: AbortSignal,
): Promise<{ twinId: number }> {
  const account = await createAccount(api)
  const top = await api.digitaltwin.create({ title: 'Exported', accountId: account.id })
  const cluster = clusterOf(folder)
  if (cluster === null) throw new Error('the database of the platform is not known')
  await using database = await openDatabase(cluster)
  await database.query(
    `with made as (
      insert into twins (account_id, scope_id, category, type, title, parent_id)
      select account_id, scope_id, category, type, 'Meter ' || n, id from twins, generate_series(1, $2::int) as n
      where id = $1 returning id)
    insert into states (twin_id, key, title, unit, source)
    select id, 'value_' || n, 'Value ' || n, 'kWh', 'none' from made, generate_series(1, $3::int) as n`,
    [top.id, twins, statesOfTwin],
  )
  const perState = rows / (twins * statesOfTwin)
  const statesAtOnce = Math.max(1, Math.floor(rowsAtOnce / perState))
  for (let month = 0; month < 12; month++)
    await database.query(`select ensure_month_partition('state_values', make_date(2026, $1, 1))`, [month + 1])
  for (let offset = 0; offset < twins * statesOfTwin; offset += statesAtOnce) {
    signal.throwIfAborted()
    await database.query(
      `insert into state_values (state_id, time, num)
      select s.id, timestamptz '2026-01-01T00:00:00Z' + n * interval '90 minutes', round((random() * 1000)::numeric, 2)::float8
      from (select s.id from states s join twins t on t.id = s.twin_id where t.parent_id = $1
        order by s.id limit $2 offset $3) as s, generate_series(1, $4::int) as n`,
      [top.id, statesAtOnce, offset, perState],
    )
    say(`${Math.min(rows, (offset + statesAtOnce) * perState)} values of ${rows}`)
  }
  await database.query('vacuum analyze state_values')
  return { twinId: top.id }
}
