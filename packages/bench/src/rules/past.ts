import { setTimeout as delay } from 'node:timers/promises'
import type { PastRule } from '@leitstand/contract/rules/past'
import type pg from 'pg'
import type { Api } from '../client.ts'
import { createAccount } from '../fleet.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Say } from '../subjects/report.ts'
import type { Part } from './part.ts'

const days = 30
const dayMs = 86_400_000
const pollMs = 100
const runMaxMs = 600_000
const scripted = 'return level > 25'

/** The rules, by name, on one state. */
function rulesOn(stateId: number): Record<string, PastRule> {
  const rule = (title: string, metric: object, conditions: object): PastRule =>
    ({
      title,
      triggers: [{ kind: 'values' }],
      metrics: [{ alias: 'level', stateId, operation: 'latest', abortIfNull: true, ...metric }],
      conditions,
      executionTimes: null,
      throttleHours: 1,
    }) as PastRule
  const above = { op: 'gt', left: { metric: 'level' }, right: { value: 25 } }
  return {
    threshold: rule('Threshold', {}, above),
    'window of a day': rule('Window', { operation: 'avg', lastMinutes: 1_440 }, above),
    'median of a day, for 30 minutes': rule(
      'Median',
      { operation: 'median', lastMinutes: 1_440 },
      { op: 'for', minutes: 30, condition: above },
    ),
    script: rule('Script', {}, { op: 'script', script: scripted }),
    transformer: rule('Transformer', { transformer: 'return value * 2' }, above),
  }
}

interface Tools {
  api: Api
  database: pg.Client
  say: Say
}

interface Measured {
  name: string
  evaluations: number
  seconds: number
  /** how many times faster than it happened */
  speed: number
}

/** Runs rules over 30 days of minute values, one after the other. */
export async function runOnPast({ api, database, say }: Tools, signal: AbortSignal): Promise<Part> {
  const end = Math.floor(Date.now() / 60_000) * 60_000
  const { twinId, stateId } = await fill(api, database, end)
  const measured: Measured[] = []
  for (const [name, rule] of Object.entries(rulesOn(stateId))) {
    say(`${name}: ${days} days of minute values`)
    const { id } = await api.ddr.runOnPast({ dtwinId: twinId, days, rule })
    const seconds = await secondsOf(api, id, signal)
    const { result } = await api.ddr.pastRun({ jobId: id })
    const evaluations = Object.values(result?.draft.results ?? {}).reduce((sum, count) => sum + count, 0)
    measured.push({ name, evaluations, seconds, speed: (days * dayMs) / 1_000 / seconds })
  }
  return {
    json: { part: 'past', days, measured },
    isClean: measured.every(({ evaluations }) => evaluations >= days * 1_440 - 1),
    lines: table([
      ['run on the past', 'evaluations', 'seconds', 'evaluations per second', 'times real time'],
      ...measured.map(({ name, evaluations, seconds, speed }) => [
        name,
        cell(evaluations),
        cell(rounded(seconds)),
        cell(Math.round(evaluations / seconds)),
        cell(Math.round(speed)),
      ]),
    ]),
  }
}

/** Waits for a job. @returns how long it ran */
async function secondsOf(api: Api, id: number, signal: AbortSignal): Promise<number> {
  const untilMs = performance.now() + runMaxMs
  for (;;) {
    const { state, startedAt, stoppedAt } = await api.job.get({ id })
    if (state === 'done' && startedAt !== null && stoppedAt !== null)
      return Math.max(1, Date.parse(stoppedAt) - Date.parse(startedAt)) / 1_000
    if ((state !== 'created' && state !== 'inprogress') || performance.now() > untilMs)
      throw new Error(`the run on the past is ${state}`)
    await delay(pollMs, undefined, { signal })
  }
}

/** Writes the values directly to the table: through the API it would take minutes. */
async function fill(
  api: Api,
  database: pg.Client,
  end: number,
): Promise<{ twinId: number; stateId: number }> {
  const account = await createAccount(api)
  const twin = await api.digitaltwin.create({ title: 'Past', accountId: account.id })
  const { rows } = await database.query<{ id: number }>(
    `insert into states (twin_id, key, title, source) values ($1, 'level', 'Level', 'none') returning id`,
    [twin.id],
  )
  const stateId = rows[0]?.id ?? 0
  const from = end - (days + 1) * dayMs
  for (let at = from; at <= end; at += dayMs)
    await database.query(
      `select ensure_month_partition('state_values', date_trunc('month', $1::timestamptz)::date)`,
      [new Date(at)],
    )
  await database.query(
    `insert into state_values (state_id, time, num)
    select $1, t, round((20 + 8 * sin(extract(epoch from t) / 13751) + random())::numeric, 2)::float8
    from generate_series($2::timestamptz, $3::timestamptz - interval '1 ms', interval '1 minute') as t`,
    [stateId, new Date(from), new Date(end)],
  )
  await database.query('vacuum analyze state_values')
  return { twinId: twin.id, stateId }
}
