import type pg from 'pg'
import type { Options } from '../arguments.ts'
import type { Api } from '../client.ts'
import { countStored, followUp } from '../database.ts'
import { buildFleet, inParallel } from '../fleet.ts'
import { closedLoop, greet, Ledger, type Phase } from '../load/drive.ts'
import { openRoutes } from '../load/open.ts'
import type { Platform } from '../platform.ts'
import { type Cost, CostMeter } from '../processes.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Say } from '../subjects/report.ts'
import type { Part } from './part.ts'

const warmUpSeconds = 3
/** With and without rules alternate, so that other load on the machine affects both. */
const turns = 3
const uplinksPerSecondMax = 30_000
/** Part of the rate without rules that they may cost. */
const goal = 0.35

interface Measured {
  isOn: boolean
  phase: Phase
  cost: Cost
  /** until the last uplink had its effects, in ms */
  followUpMs: number | null
}

/**
 * A rule on every device, in thirds a window, a threshold and a condition in JavaScript: what they cost of the rate at which
 * uplinks are acknowledged and followed up.
 */
export async function costOfRules(
  tools: { options: Options; platform: Platform; database: pg.Client; api: Api; say: Say },
  signal: AbortSignal,
): Promise<Part> {
  const { options, platform, database, api, say } = tools
  say(`making ${options.devices} devices with a rule each`)
  const protocol = options.protocol ?? 'mqtt'
  const fleet = await buildFleet(api, platform, { protocols: [protocol], devices: options.devices }, signal)
  const [group] = fleet.groups
  if (group === undefined) throw new Error('there are no devices')
  await using opened = await openRoutes(group)
  const seconds = 2 * (warmUpSeconds + options.seconds)
  const ledger = new Ledger(seconds * uplinksPerSecondMax + options.devices)
  await greet(opened.routes, ledger, signal)
  await inParallel(group.devices.length, signal, async (index) => {
    const { id } = group.devices[index] as (typeof group.devices)[number]
    await api.ddr.create(await ruleFor(api, id, index))
  })
  const setActive = (isOn: boolean) =>
    database.query('update rules set active = $1, version = version + 1 where account_id = $2', [
      isOn,
      fleet.accountId,
    ])
  const measured: Measured[] = []
  for (const isOn of [false, true]) {
    await setActive(isOn)
    await closedLoop(opened.routes, ledger, warmUpSeconds, signal)
    await followUp(database, signal)
  }
  for (let turn = 0; turn < turns; turn++) {
    for (const isOn of [false, true]) {
      say(`${isOn ? 'with' : 'without'} rules, ${Math.round(options.seconds / turns)} s`)
      await setActive(isOn)
      using meter = new CostMeter(platform.pids)
      const phase = await closedLoop(opened.routes, ledger, options.seconds / turns, signal)
      const followUpMs = await followUp(database, signal)
      measured.push({ isOn, phase, cost: meter.stop(), followUpMs })
    }
  }
  const { rows } = await database.query<{ rules: number }>(
    `select count(*)::int as rules from rule_live l join rules r on r.id = l.rule_id
     where r.account_id = $1 and l.last_evaluated_at is not null`,
    [fleet.accountId],
  )
  const { lost, duplicated } = await countStored(database, fleet.accountId, ledger)
  return report({ devices: group.devices.length, evaluated: rows[0]?.rules ?? 0, measured, lost, duplicated })
}

type NewRule = Parameters<Api['ddr']['create']>[0]

async function ruleFor(api: Api, deviceId: number, index: number): Promise<NewRule> {
  const { items } = await api.state.search({ dtwinId: deviceId, search: 'temperature', limit: 10 })
  const state = items.find(({ key }) => key === 'temperature')
  if (state === undefined) throw new Error('a device has no temperature')
  const metric = { alias: 'temperature', stateId: state.id, abortIfNull: true } as const
  const above = { op: 'gt', left: { metric: 'temperature' }, right: { value: 30 } } as const
  const kinds = [
    { title: 'Window', metrics: [{ ...metric, operation: 'avg', lastValues: 20 }], conditions: above },
    { title: 'Threshold', metrics: [{ ...metric, operation: 'latest' }], conditions: above },
    {
      title: 'Script',
      metrics: [{ ...metric, operation: 'latest' }],
      conditions: { op: 'script', script: 'return temperature > 30' },
    },
  ] as const
  const { title, metrics, conditions } = kinds[index % kinds.length] as (typeof kinds)[number]
  return {
    dtwinId: deviceId,
    title,
    metrics: [...metrics],
    conditions,
    throttleHours: 1,
    actions: [{ kind: 'alarm', severity: 'warning', message: '{{temperature}}' }],
  }
}

function report(outcome: {
  devices: number
  evaluated: number
  measured: readonly Measured[]
  lost: number
  duplicated: number
}): Part {
  const { devices, evaluated, measured, lost, duplicated } = outcome
  const of = (isOn: boolean) => {
    const parts = measured.filter((each) => each.isOn === isOn)
    const sum = (figure: (part: Measured) => number) => parts.reduce((total, part) => total + figure(part), 0)
    const acknowledged = sum(({ phase }) => phase.acknowledged)
    const busySeconds = sum(({ phase, followUpMs }) => phase.seconds + (followUpMs ?? 0) / 1000)
    const cpuSeconds = sum(({ cost }) => (cost.serverCpuSeconds ?? 0) + (cost.databaseCpuSeconds ?? 0))
    return {
      rate: acknowledged / busySeconds,
      cpuMs: (cpuSeconds * 1000) / Math.max(1, acknowledged),
      p99: Math.max(...parts.map(({ phase }) => phase.latency.percentile(0.99) ?? 0)),
    }
  }
  const [without, withRules] = [of(false), of(true)]
  const share = 1 - withRules.rate / without.rate
  const row = (name: string, { rate, cpuMs, p99 }: typeof without) => [
    name,
    cell(rate),
    cell(cpuMs),
    cell(p99),
  ]
  return {
    json: {
      part: 'cost',
      devices,
      evaluated,
      uplinksPerSecondWithout: rounded(without.rate),
      uplinksPerSecondWith: rounded(withRules.rate),
      costShare: rounded(share),
      goal,
      lost,
      duplicated,
    },
    lines: [
      ...table([
        [`${devices} devices`, 'uplinks/s', 'cpu ms/uplink', 'ack p99 ms'],
        row('without rules', without),
        row('with a rule each', withRules),
      ]),
      '',
      `rules cost ${Math.round(share * 100)} % of the rate (goal: at most ${goal * 100} %); ${evaluated} were evaluated,`,
      `${lost} uplinks lost, ${duplicated} duplicated`,
    ],
    isClean: lost === 0 && duplicated === 0,
  }
}
