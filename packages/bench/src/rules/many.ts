import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Options } from '../arguments.ts'
import type { Api } from '../client.ts'
import { countStored, followUp } from '../database.ts'
import { buildFleet, inParallel } from '../fleet.ts'
import { closedLoop, greet, Ledger } from '../load/drive.ts'
import { openRoutes } from '../load/open.ts'
import type { Platform } from '../platform.ts'
import { CostMeter } from '../processes.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Say } from '../subjects/report.ts'
import type { Part } from './part.ts'

const warmUpSeconds = 3
const turns = 2
const uplinksPerSecondMax = 30_000
/** Twins that the rule for many takes in at once. */
const newTwins = 1_000
const pollMs = 50
const patienceMs = 60_000

type Kind = 'none' | 'copies' | 'many'

interface Cost {
  uplinks: number
  busySeconds: number
  cpuSeconds: number
}

/**
 * One rule for all devices compared with a copy of it on each: what the same evaluations cost, how long the rule takes to be
 * stored, and until it runs on new twins.
 */
export async function ruleForMany(
  tools: { options: Options; platform: Platform; database: pg.Client; api: Api; say: Say },
  signal: AbortSignal,
): Promise<Part> {
  const { options, platform, database, api, say } = tools
  say(`making ${options.devices} devices, a rule on each and one for all`)
  const protocol = options.protocol ?? 'mqtt'
  const fleet = await buildFleet(api, platform, { protocols: [protocol], devices: options.devices }, signal)
  const [group] = fleet.groups
  const [first] = group?.devices ?? []
  if (group === undefined || first === undefined) throw new Error('there are no devices')
  await using opened = await openRoutes(group)
  const seconds = 3 * (warmUpSeconds + options.seconds)
  const ledger = new Ledger(seconds * uplinksPerSecondMax + options.devices)
  await greet(opened.routes, ledger, signal)
  const copyMs = await timed(() =>
    inParallel(group.devices.length, signal, async (index) => {
      const { id } = group.devices[index] as (typeof group.devices)[number]
      const { items } = await api.state.search({ dtwinId: id, search: 'temperature', limit: 10 })
      const state = items.find(({ key }) => key === 'temperature')
      if (state === undefined) throw new Error('a device has no temperature')
      const metrics = [{ alias: 'temperature', stateId: state.id, operation: 'latest' as const }]
      await api.ddr.create({ dtwinId: id, title: 'Copy', ...rule, metrics, active: false })
    }),
  )
  let ruleId = 0
  const saveMs = await timed(async () => {
    const many = { query: { category: 'virtualDevice' as const }, except: [] }
    const made = await api.ddr.create({ dtwinId: first.id, title: 'Many', ...rule, many, active: false })
    ruleId = made.id
  })
  const costs = new Map<Kind, Cost>()
  const use = (kind: Kind) =>
    database.query(
      'update rules set active = case when many is null then $1::boolean else $2::boolean end, version = version + 1 where account_id = $3',
      [kind === 'copies', kind === 'many', fleet.accountId],
    )
  for (let turn = 0; turn <= turns; turn++) {
    for (const kind of ['none', 'copies', 'many'] as const) {
      say(turn === 0 ? `warming up: ${kind}` : kind)
      await use(kind)
      using meter = new CostMeter(platform.pids)
      const length = turn === 0 ? warmUpSeconds : options.seconds / turns
      const { acknowledged, seconds } = await closedLoop(opened.routes, ledger, length, signal)
      const followUpMs = (await followUp(database, signal)) ?? 0
      const { serverCpuSeconds, databaseCpuSeconds } = meter.stop()
      if (turn === 0) continue
      const known = costs.get(kind) ?? { uplinks: 0, busySeconds: 0, cpuSeconds: 0 }
      costs.set(kind, {
        uplinks: known.uplinks + acknowledged,
        busySeconds: known.busySeconds + seconds + followUpMs / 1000,
        cpuSeconds: known.cpuSeconds + (serverCpuSeconds ?? 0) + (databaseCpuSeconds ?? 0),
      })
    }
  }
  const { rows } = await database.query<{ count: number }>(
    'select count(*)::int as count from rule_live where rule_id = $1',
    [ruleId],
  )
  say(`adding ${newTwins} twins`)
  const takeInMs = await takeIn({ database, api }, { accountId: fleet.accountId, ruleId }, signal)
  const { lost, duplicated } = await countStored(database, fleet.accountId, ledger)
  return report({
    devices: group.devices.length,
    evaluated: rows[0]?.count ?? 0,
    costs,
    times: { copyMs, saveMs, takeInMs },
    lost,
    duplicated,
  })
}

const rule = {
  metrics: [
    { alias: 'temperature', operation: 'related', of: 'own', stateKey: 'temperature', over: 'latest' },
  ],
  conditions: { op: 'gt', left: { metric: 'temperature' }, right: { value: 1000 } },
  throttleHours: 1,
  actions: [{ kind: 'alarm', severity: 'warning', message: '{{temperature}}' }],
} satisfies Partial<Parameters<Api['ddr']['create']>[0]>

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** @returns the time until the rule runs on new twins, in ms; null: it does not */
async function takeIn(
  { database, api }: { database: pg.Client; api: Api },
  { accountId, ruleId }: { accountId: number; ruleId: number },
  signal: AbortSignal,
): Promise<number | null> {
  const { twins: before } = await api.ddr.get({ id: ruleId })
  await database.query(
    `with made as (
       insert into twins (account_id, scope_id, category, title)
       select $1, (select scope_id from twins t join rules r on r.twin_id = t.id where r.id = $2), 'virtualDevice', 'New ' || n
       from generate_series(1, $3::int) n returning id)
     insert into states (twin_id, key, title, source, source_settings, value_type)
     select id, 'temperature', 'Temperature', 'none', '{}', 'number' from made`,
    [accountId, ruleId, newTwins],
  )
  const started = performance.now()
  while (performance.now() - started < patienceMs) {
    const { twins } = await api.ddr.get({ id: ruleId })
    if ((twins?.total ?? 0) >= (before?.total ?? 0) + newTwins) return performance.now() - started
    await delay(pollMs, undefined, { signal })
  }
  return null
}

function report(outcome: {
  devices: number
  evaluated: number
  costs: ReadonlyMap<Kind, Cost>
  times: { copyMs: number; saveMs: number; takeInMs: number | null }
  lost: number
  duplicated: number
}): Part {
  const { devices, evaluated, costs, times, lost, duplicated } = outcome
  const of = (kind: Kind) => {
    const { uplinks, busySeconds, cpuSeconds } = costs.get(kind) ?? {
      uplinks: 0,
      busySeconds: 1,
      cpuSeconds: 0,
    }
    return { rate: uplinks / busySeconds, cpuMs: (cpuSeconds * 1000) / Math.max(1, uplinks) }
  }
  const row = (name: string, kind: Kind, savedMs: number | null) => [
    name,
    cell(of(kind).rate),
    cell(of(kind).cpuMs),
    cell(savedMs),
  ]
  return {
    json: {
      part: 'many',
      devices,
      evaluated,
      uplinksPerSecond: {
        none: rounded(of('none').rate),
        copies: rounded(of('copies').rate),
        many: rounded(of('many').rate),
      },
      cpuMsPerUplink: {
        none: rounded(of('none').cpuMs),
        copies: rounded(of('copies').cpuMs),
        many: rounded(of('many').cpuMs),
      },
      saveCopiesMs: rounded(times.copyMs),
      saveManyMs: rounded(times.saveMs),
      takeInMs: rounded(times.takeInMs),
      lost,
      duplicated,
    },
    lines: [
      ...table([
        [`${devices} devices`, 'uplinks/s', 'cpu ms/uplink', 'saved in ms'],
        row('without rules', 'none', null),
        row('a copy on each', 'copies', times.copyMs),
        row('one for all', 'many', times.saveMs),
      ]),
      '',
      `the one for all was evaluated on ${evaluated}; ${newTwins} new twins were taken in within ${cell(times.takeInMs)} ms;`,
      `${lost} uplinks lost, ${duplicated} duplicated`,
    ],
    isClean: lost === 0 && duplicated === 0 && evaluated === devices && times.takeInMs !== null,
  }
}
