import { setTimeout as delay } from 'node:timers/promises'
import { aggregationMethods } from '@leitstand/contract/series'
import type pg from 'pg'
import type { Options } from '../arguments.ts'
import { createApi } from '../client.ts'
import { countStored, openDatabase } from '../database.ts'
import { buildFleet } from '../fleet.ts'
import { greet, Ledger, openLoop, type Phase } from '../load/drive.ts'
import { openRoutes } from '../load/open.ts'
import { valueKeys } from '../load/uplinks.ts'
import { openPlatform } from '../platform.ts'
import { type Cost, CostMeter } from '../processes.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Report, Say } from './report.ts'

/** Values per second of states that are aggregated. */
const defaultRate = 1_000
const warmUpSeconds = 3
const catchUpMaxMs = 120_000
const catchUpPollMs = 20

interface Measured {
  name: string
  phase: Phase
  cost: Cost
  /** computed values that were stored */
  computed: number
  /** from the last acknowledgement until everything was computed; null: more than two minutes */
  behindMs: number | null
  /** aggregates whose current value is not that of their sources */
  wrong: number
}

/**
 * Aggregates over all states of all devices, one method after the other and all at once: whether they keep
 * up, and at what cost.
 */
export async function derive(options: Options, say: Say, signal: AbortSignal): Promise<Report> {
  await using platform = await openPlatform(options, signal)
  if (platform.database === null) throw new Error('the database of the platform is not known')
  await using database = await openDatabase(platform.database)
  const api = createApi(platform.url, platform.token)
  const protocol = options.protocol ?? 'mqtt'
  const rate = Math.max(1, Math.round((options.rate ?? defaultRate) / valueKeys.length))
  say(`making ${options.devices} devices`)
  const fleet = await buildFleet(api, platform, { protocols: [protocol], devices: options.devices }, signal)
  const [group] = fleet.groups
  if (group === undefined) throw new Error('there are no devices')
  await using opened = await openRoutes(group)
  const phases = aggregationMethods.length + 3
  const ledger = new Ledger(group.devices.length + phases * (options.seconds + warmUpSeconds) * (rate + 2))
  await greet(opened.routes, ledger, signal)
  const { id: twinId } = await api.digitaltwin.create({
    title: 'All',
    type: 'room',
    accountId: fleet.accountId,
  })

  const measured: Measured[] = []
  const measure = async (name: string, methods: readonly string[]) => {
    say(`${name}: ${rate} uplinks/s, ${options.seconds} s`)
    await setAggregates(database, { twinId, accountId: fleet.accountId, methods })
    await openLoop(opened.routes, ledger, { seconds: warmUpSeconds, rate }, signal)
    await catchUp(database, signal)
    const before = await countComputed(database, twinId)
    using meter = new CostMeter(platform.pids)
    const phase = await openLoop(opened.routes, ledger, { seconds: options.seconds, rate }, signal)
    const behindMs = await catchUp(database, signal)
    const cost = meter.stop()
    const computed = (await countComputed(database, twinId)) - before
    measured.push({ name, phase, cost, computed, behindMs, wrong: await countWrong(database, twinId) })
  }
  await measure('none, before', [])
  for (const method of aggregationMethods) await measure(method, [method])
  await measure('all seven', aggregationMethods)
  await measure('none, after', [])
  say('counting in the database')
  const { stored, lost, duplicated } = await countStored(database, fleet.accountId, ledger)
  return report({ rate, sources: options.devices * valueKeys.length, measured, stored, lost, duplicated })
}

/** Replaces the twin's aggregates; written to the tables, because users can only list 500 states. */
async function setAggregates(
  database: pg.Client,
  { twinId, accountId, methods }: { twinId: number; accountId: number; methods: readonly string[] },
): Promise<void> {
  await database.query(
    'delete from state_links where state_id in (select id from states where twin_id = $1)',
    [twinId],
  )
  await database.query('delete from states where twin_id = $1', [twinId])
  await database.query(
    `with made as (
      insert into states (twin_id, key, title, source, source_settings, value_type)
      select $1, method, method, 'aggregate', jsonb_build_object('method', method), 'number'
      from unnest($2::text[]) as m (method) returning id)
    insert into state_links (state_id, source_state_id)
    select made.id, s.id from made, states s join twins t on t.id = s.twin_id
    where t.account_id = $3 and t.category = 'virtualDevice'`,
    [twinId, methods, accountId],
  )
}

/** Waits until all derived values are computed. @returns the duration in ms */
async function catchUp(database: pg.Client, signal: AbortSignal): Promise<number | null> {
  const started = performance.now()
  while (performance.now() - started < catchUpMaxMs) {
    signal.throwIfAborted()
    const { rows } = await database.query<{ behind: boolean }>(
      'select exists (select from derivations) as behind',
    )
    if (!rows[0]?.behind) return performance.now() - started
    await delay(catchUpPollMs, undefined, { signal })
  }
  return null
}

async function countComputed(database: pg.Client, twinId: number): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    'select count(*)::int as count from state_values where state_id in (select id from states where twin_id = $1)',
    [twinId],
  )
  return rows[0]?.count ?? 0
}

/** Compares with what the database computes from the current values of all sources. */
async function countWrong(database: pg.Client, twinId: number): Promise<number> {
  const { rows } = await database.query<{ wrong: number }>(
    `with sources as materialized (
      select k.state_id, c.num, c.time, max(c.time) over (partition by k.state_id) as last
      from state_links k join states s on s.id = k.state_id join state_current c on c.state_id = k.source_state_id
      where s.twin_id = $1),
    expected as (
      select s.id, s.source_settings ->> 'method' as method, v.last, case s.source_settings ->> 'method'
        when 'avg' then avg(v.num) when 'sum' then sum(v.num) when 'min' then min(v.num) when 'max' then max(v.num)
        when 'count' then count(*) when 'median' then percentile_cont(0.5) within group (order by v.num)
        end as value, array_agg(v.num) filter (where v.time = v.last) as newest
      from states s join sources v on v.state_id = s.id where s.twin_id = $1 group by s.id, v.last)
    select count(*)::int as wrong from expected e left join state_current a on a.state_id = e.id
    where a.num is null or a.time <> e.last
      or case when e.method = 'latest' then not a.num = any(e.newest)
        else abs(a.num - e.value) > 1e-9 * greatest(1, abs(e.value)) end`,
    [twinId],
  )
  return rows[0]?.wrong ?? 0
}

/** Processor milliseconds of server and database for each uplink. */
function costOf({ phase, cost }: Measured): number | null {
  const { serverCpuSeconds, databaseCpuSeconds } = cost
  if (serverCpuSeconds === null || databaseCpuSeconds === null || phase.sent === 0) return null
  return ((serverCpuSeconds + databaseCpuSeconds) * 1000) / phase.sent
}

function report(outcome: {
  rate: number
  sources: number
  measured: readonly Measured[]
  stored: number
  lost: number
  duplicated: number
}): Report {
  const { rate, sources, measured, stored, lost, duplicated } = outcome
  const isNone = ({ name }: Measured) => name.startsWith('none')
  const usual = measured.filter(isNone).flatMap((each) => costOf(each) ?? [])
  const usualCost = usual.length === 0 ? null : usual.reduce((sum, own) => sum + own, 0) / usual.length
  const addedBy = (each: Measured) => {
    const own = costOf(each)
    return own === null || usualCost === null || isNone(each) ? null : own / usualCost - 1
  }
  const wrong = measured.reduce((sum, each) => sum + each.wrong, 0)
  const json = {
    subject: 'derive',
    uplinksPerSecond: rate,
    updatesPerSecond: rate * valueKeys.length,
    sources,
    stored,
    lost,
    duplicated,
    wrong,
    phases: measured.map((each) => ({
      name: each.name,
      ackP50Ms: rounded(each.phase.latency.percentile(0.5)),
      ackP99Ms: rounded(each.phase.latency.percentile(0.99)),
      cpuMsPerUplink: rounded(costOf(each)),
      addedShare: rounded(addedBy(each)),
      computed: each.computed,
      behindMs: rounded(each.behindMs),
      wrong: each.wrong,
    })),
  }
  const percent = (share: number | null) => (share === null ? '–' : `${Math.round(share * 100)} %`)
  const lines = [
    ...table([
      ['aggregates', 'ack p50 ms', 'p99', 'cpu ms/uplink', 'added', 'computed', 'behind ms', 'wrong'],
      ...measured.map((each) => [
        each.name,
        cell(each.phase.latency.percentile(0.5)),
        cell(each.phase.latency.percentile(0.99)),
        cell(costOf(each)),
        percent(addedBy(each)),
        cell(each.computed),
        cell(each.behindMs === null ? null : Math.round(each.behindMs)),
        cell(each.wrong),
      ]),
    ]),
    '',
    ...table([
      ['whole run', ''],
      ['states aggregated', cell(sources)],
      ['updates of them per second', cell(json.updatesPerSecond)],
      ['uplinks stored', cell(stored)],
      ['lost (acknowledged, not stored)', cell(lost)],
      ['duplicated', cell(duplicated)],
    ]),
  ]
  const keptUp = measured.every(({ behindMs }) => behindMs !== null)
  return { json, lines, isClean: lost === 0 && duplicated === 0 && wrong === 0 && keptUp }
}
