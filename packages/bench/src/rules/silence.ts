import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Api } from '../client.ts'
import { createAccount } from '../fleet.ts'
import type { Platform } from '../platform.ts'
import { CostMeter } from '../processes.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Say } from '../subjects/report.ts'
import type { Part } from './part.ts'

const devices = 100_000
/** Their silences end evenly over this time. */
const spreadSeconds = 120
/** From storing them to the first end. */
const leadSeconds = 40
const lateGoalMs = 2_000
const patienceMs = 300_000
const pollMs = 200

/** An alarm for each of 100 000 devices that has been silent: how late the next one is, looked at from outside. */
export async function silentDevices(
  tools: { platform: Platform; database: pg.Client; api: Api; say: Say },
  signal: AbortSignal,
): Promise<Part> {
  const { platform, database, api, say } = tools
  say(`storing ${devices} silent states with a rule each`)
  const account = await createAccount(api)
  await fill(database, account)
  const firstDueAt = await firstDue(database, account.id)
  say(`waiting for ${devices} alarms over ${spreadSeconds} s`)
  using meter = new CostMeter(platform.pids)
  const started = performance.now()
  const late: number[] = []
  let raised = 0
  while (raised < devices && performance.now() - started < patienceMs) {
    await delay(pollMs, undefined, { signal })
    const { rows } = await database.query<{ n: number; now: Date }>(
      'select count(*)::int as n, clock_timestamp() as now from alarms where account_id = $1',
      [account.id],
    )
    const [seen] = rows
    if (seen === undefined) throw new Error('the alarms cannot be counted')
    raised = seen.n
    const elapsedMs = seen.now.getTime() - firstDueAt.getTime()
    const nextDueMs = (raised * spreadSeconds * 1000) / devices
    if (elapsedMs > 0 && raised < devices) late.push(Math.max(0, elapsedMs - nextDueMs))
  }
  const seconds = (performance.now() - started) / 1000
  const { serverCpuSeconds, databaseCpuSeconds } = meter.stop()
  const cores = ((serverCpuSeconds ?? 0) + (databaseCpuSeconds ?? 0)) / seconds
  late.sort((one, other) => one - other)
  const at = (share: number) => late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? null
  const [p50, p99, max] = [at(0.5), at(0.99), at(1)]
  return {
    json: {
      part: 'silence',
      devices,
      raised,
      lateP50Ms: rounded(p50),
      lateP99Ms: rounded(p99),
      lateMaxMs: rounded(max),
      cores: rounded(cores),
      goalMs: lateGoalMs,
    },
    lines: [
      ...table([
        ['silent devices', 'alarms', 'late p50 ms', 'p99', 'longest', 'cores'],
        [cell(devices), cell(raised), cell(p50), cell(p99), cell(max), cell(cores)],
      ]),
      `(${cell(devices / spreadSeconds)} a second, looked at every ${pollMs} ms; goal: at most ${lateGoalMs} ms late)`,
    ],
    isClean: raised === devices,
  }
}

async function firstDue(database: pg.Client, accountId: number): Promise<Date> {
  const { rows } = await database.query<{ due_at: Date }>(
    'select min(d.due_at) as due_at from rule_due d join rules r on r.id = d.rule_id where r.account_id = $1',
    [accountId],
  )
  const [row] = rows
  if (row === undefined) throw new Error('no rule is due')
  return row.due_at
}

/** Written to the tables: to make them one by one would take longer than the measurement. */
async function fill(database: pg.Client, { id, scopeId }: { id: number; scopeId: number }): Promise<void> {
  await database.query('begin')
  await database.query(
    `with made as (
       insert into twins (account_id, scope_id, category, type, title)
       select $1, $2, 'digitalTwin', 'room', 'Room ' || n from generate_series(1, $3::int) as n returning id),
     stated as (
       insert into states (twin_id, key, title, source, source_settings, value_type)
       select id, 'level', 'Level', 'none', '{}', 'number' from made returning id, twin_id),
     timed as (
       select id, twin_id, now() + make_interval(secs => $4 + $5 * (row_number() over (order by id))::float8 / $3) as due_at
       from stated),
     ruled as (
       insert into rules (twin_id, account_id, title, triggers, metrics, conditions, actions, created_at, updated_at)
       select twin_id, $1, 'Silent',
         '[{"kind": "silence", "metric": "level", "minutes": 60}]',
         jsonb_build_array(jsonb_build_object('alias', 'level', 'stateId', id, 'operation', 'latest', 'abortIfNull', false)),
         '{"op": "eq", "left": {"value": 1}, "right": {"value": 1}}',
         '[{"kind": "alarm", "severity": "warning", "message": "Silent"}]', now(), now()
       from timed returning id, twin_id)
     insert into rule_due (rule_id, twin_id, trigger, due_at, state_id, silence_ms)
     select ruled.id, ruled.twin_id, 0, timed.due_at, timed.id, 3600000 from ruled join timed on timed.twin_id = ruled.twin_id`,
    [id, scopeId, devices, leadSeconds, spreadSeconds],
  )
  await database.query('commit')
  await database.query('analyze')
}
