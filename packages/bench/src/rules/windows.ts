import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Options } from '../arguments.ts'
import type { Api } from '../client.ts'
import { followUp } from '../database.ts'
import { createAccount } from '../fleet.ts'
import type { Platform } from '../platform.ts'
import { type Cost, CostMeter } from '../processes.ts'
import { cell, rounded, table } from '../report/table.ts'
import { rollUp } from '../subjects/query.ts'
import type { Say } from '../subjects/report.ts'
import type { Part } from './part.ts'

const rulesTotal = 20_000
const dayMinutes = 1_440
/** Values a second; each wakes a rule. */
const rate = 1_000
const requestsPerSecond = 10
const operations = ['avg', 'max', 'difference'] as const
/** States filled at once. */
const fillStates = 500
const checkedMax = 100
/** Sums are added in another order. */
const tolerance = 1e-6

interface Measured {
  name: string
  cost: Cost
  seconds: number
  values: number
  behindMs: number | null
}

/** 20 000 rules that look back on a day of minute values each, a thousand of them evaluated every second. */
export async function dayWindows(
  tools: { options: Options; platform: Platform; database: pg.Client; api: Api; say: Say },
  signal: AbortSignal,
): Promise<Part> {
  const { options, platform, database, api, say } = tools
  const { rootId, key } = await makeRoot(api)
  say(`making ${rulesTotal} rules and ${rulesTotal * dayMinutes} values`)
  await makeRules(database, rootId)
  const values = await fill(database, rootId, say, signal)
  await rollUp(database, values, say, signal)
  const sender = new Sender(`${platform.url}/api/hooks/${key}`)
  const measure = async (name: string, seconds: number): Promise<Measured> => {
    say(`${name}: ${rate} values/s, ${seconds} s`)
    using meter = new CostMeter(platform.pids)
    const tookSeconds = await sender.drive(seconds, signal)
    const behindMs = await followUp(database, signal)
    return { name, cost: meter.stop(), seconds: tookSeconds, values: seconds * rate, behindMs }
  }
  await setActive(database, rootId, false)
  // Each state once, so that everything else than the rules is warm.
  await sender.drive(rulesTotal / rate, signal)
  await followUp(database, signal)
  const without = await measure('no rules', options.seconds)
  await setActive(database, rootId, true)
  const reading = await measure('windows are read', rulesTotal / rate)
  const during = await measure('with rules', options.seconds)
  const { checked, wrong } = await check(database, rootId)
  return report([without, reading, during], { values, checked, wrong })
}

async function makeRoot(api: Api): Promise<{ rootId: number; key: string }> {
  const { id: accountId } = await createAccount(api)
  const { key } = await api.bridge.create({ accountId, kind: 'webhook-in', name: 'Rooms', settings: {} })
  if (key === null) throw new Error('a new webhook has a key')
  const { id: rootId } = await api.digitaltwin.create({ title: 'Rooms', accountId })
  return { rootId, key }
}

/** Written to the tables: twins with a state and a rule each. */
async function makeRules(database: pg.Client, rootId: number): Promise<void> {
  await database.query(
    `with made as (
      insert into twins (category, account_id, scope_id, parent_id, title, type)
      select 'digitalTwin', r.account_id, r.scope_id, r.id, 'Room ' || n, 'room'
      from twins r, generate_series(1, $2) as n where r.id = $1 returning id, account_id, title),
    named as (
      insert into twin_references (twin_id, account_id, name, value) select id, account_id, 'room', title from made),
    stated as (
      insert into states (twin_id, key, title, source) select id, 'level', 'Level', 'datarouting' from made
      returning id, twin_id),
    ruled as (
      insert into rules (twin_id, account_id, title, triggers, metrics, conditions, actions, created_at, updated_at)
      select made.id, made.account_id, 'Day', '[{"kind": "values"}]',
        jsonb_build_array(jsonb_build_object('alias', 'level', 'stateId', stated.id, 'lastMinutes', $3::int, 'abortIfNull', true,
          'operation', ($4::text[])[1 + stated.id % 3])),
        '{"op": "gt", "left": {"metric": "level"}, "right": {"value": 1000}}',
        '[{"kind": "alarm", "severity": "warning", "message": "{{level}}"}]', now(), now()
      from made join stated on stated.twin_id = made.id returning id, twin_id)
    insert into rule_triggers (rule_id, state_id)
    select ruled.id, stated.id from ruled join stated on stated.twin_id = ruled.twin_id`,
    [rootId, rulesTotal, dayMinutes, operations],
  )
  await database.query('vacuum analyze twins, states, twin_references, rules, rule_triggers')
}

/** A day of minute values for each state. @returns how many */
async function fill(database: pg.Client, rootId: number, say: Say, signal: AbortSignal): Promise<number> {
  const end = new Date()
  const from = new Date(end.getTime() - dayMinutes * 60_000)
  for (const at of [from, end])
    await database.query(
      `select ensure_month_partition('state_values', date_trunc('month', $1::timestamptz)::date)`,
      [at],
    )
  const { rows } = await database.query<{ id: number }>(
    'select s.id from states s join twins t on t.id = s.twin_id where t.parent_id = $1 order by s.id',
    [rootId],
  )
  const ids = rows.map(({ id }) => id)
  let values = 0
  for (let first = 0; first < ids.length; first += fillStates) {
    signal.throwIfAborted()
    const { rowCount } = await database.query(
      `insert into state_values (state_id, time, num)
      select id, t, round((20 + 8 * sin(extract(epoch from t) / 13751 + id) + random())::numeric, 2)::float8
      from unnest($3::int[]) as id, generate_series($1::timestamptz, $2::timestamptz, interval '1 minute') as t`,
      [from, end, ids.slice(first, first + fillStates)],
    )
    values += rowCount ?? 0
    if (first % 5_000 === 0) say(`${values} values`)
  }
  await database.query('vacuum analyze state_values')
  return values
}

async function setActive(database: pg.Client, rootId: number, isOn: boolean): Promise<void> {
  await database.query(
    `update rules set active = $1, version = version + 1
    where twin_id in (select id from twins where parent_id = $2)`,
    [isOn, rootId],
  )
}

/** Sends a value of each room in turn. */
class Sender {
  readonly #url: string
  #next = 0

  constructor(url: string) {
    this.#url = url
  }

  /** @returns how long it took */
  async drive(seconds: number, signal: AbortSignal): Promise<number> {
    const start = performance.now()
    const running: Promise<void>[] = []
    for (let turn = 0; turn < seconds * requestsPerSecond; turn++) {
      const dueMs = start + (turn * 1000) / requestsPerSecond
      if (performance.now() < dueMs) await delay(dueMs - performance.now(), undefined, { signal })
      running.push(this.#send(rate / requestsPerSecond))
      if (turn % requestsPerSecond === requestsPerSecond - 1) await Promise.all(running.splice(0))
    }
    await Promise.all(running)
    return (performance.now() - start) / 1000
  }

  async #send(count: number): Promise<void> {
    const packets = Array.from({ length: count }, () => {
      const room = (this.#next++ % rulesTotal) + 1
      return {
        routing: { room: `Room ${room}` },
        variable: 'level',
        data: { value: 20 + (this.#next % 80) / 10 },
      }
    })
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(this.#url, { method: 'POST', headers, body: JSON.stringify(packets) })
    if (!reply.ok) throw new Error(`the webhook answered ${reply.status}: ${await reply.text()}`)
  }
}

/** Compares what some rules saw last with the values that are stored. */
async function check(database: pg.Client, rootId: number): Promise<{ checked: number; wrong: number }> {
  const { rows } = await database.query<{ seen: number | null; stored: number | null }>(
    `select (e.inputs ->> 'level')::float8 as seen, v.stored
    from (select r.id, r.metrics -> 0 as metric from rules r join twins t on t.id = r.twin_id
      where t.parent_id = $1 order by r.id desc limit $2) as r
    cross join lateral (select * from rule_history e where e.rule_id = r.id order by e.at desc, e.id desc limit 1) as e
    cross join lateral (
      select case r.metric ->> 'operation' when 'avg' then avg(num) when 'max' then max(num)
        else (array_agg(num order by time desc))[1] - (array_agg(num order by time))[1] end as stored
      from state_values where state_id = (r.metric ->> 'stateId')::int and time <= e.at
        and time > e.at - interval '1 day') as v`,
    [rootId, checkedMax],
  )
  const wrong = rows.filter(
    ({ seen, stored }) => seen === null || stored === null || Math.abs(seen - stored) > tolerance,
  )
  return { checked: rows.length, wrong: wrong.length }
}

function report(
  phases: readonly Measured[],
  outcome: { values: number; checked: number; wrong: number },
): Part {
  const shown = phases.map(({ name, cost, seconds, values, behindMs }) => {
    const [server, base] = [cost.serverCpuSeconds, cost.databaseCpuSeconds]
    const busySeconds = seconds + (behindMs ?? 0) / 1000
    return {
      name,
      valuesPerSecond: rounded(values / seconds),
      serverCores: rounded(server === null ? null : server / busySeconds),
      databaseCores: rounded(base === null ? null : base / busySeconds),
      cores: rounded(server === null || base === null ? null : (server + base) / busySeconds),
      behindMs: rounded(behindMs),
    }
  })
  const { values, checked, wrong } = outcome
  return {
    json: { part: 'windows', rules: rulesTotal, values, phases: shown, checked, wrong },
    lines: [
      ...table([
        ['windows of a day', 'values/s', 'server, cores', 'database, cores', 'both', 'behind ms'],
        ...shown.map((each) => [
          each.name,
          cell(each.valuesPerSecond),
          cell(each.serverCores),
          cell(each.databaseCores),
          cell(each.cores),
          cell(each.behindMs === null ? null : Math.round(each.behindMs)),
        ]),
      ]),
      '',
      `${rulesTotal} rules over ${values} values (goal: under one core); ${wrong} of ${checked} results wrong`,
    ],
    isClean: wrong === 0 && checked > 0 && phases.every(({ behindMs }) => behindMs !== null),
  }
}
