import type pg from 'pg'
import type { Options, Protocol } from '../arguments.ts'
import { protocols } from '../arguments.ts'
import { startBaseline } from '../baseline/index.ts'
import { createApi } from '../client.ts'
import { countStored, databaseBytes, openDatabase, type Stored } from '../database.ts'
import { addFollowers, buildFleet, type Fleet, type Group } from '../fleet.ts'
import { closedLoop, greet, Ledger, openLoop, type Phase, type Route } from '../load/drive.ts'
import { openRoutes } from '../load/open.ts'
import { simulatedDevice, valueKeys } from '../load/uplinks.ts'
import { openPlatform, type Platform } from '../platform.ts'
import { type Cost, CostMeter } from '../processes.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Report, Say } from './report.ts'

/** Before a phase is measured; compilers and caches get warm. */
const warmUpSeconds = 3
/** Rate of the open loop when none is given, of what the closed loop has reached. */
const openShare = 0.7
/** No machine this runs on is faster; it bounds the memory of the ledger. */
const uplinksPerSecondMax = 30_000

interface Measured {
  name: string
  protocol: Protocol
  rate: number | null
  phase: Phase
  cost: Cost
}

/** Uplinks from sent to acknowledged, counted afterwards in the database, against the baseline. */
export async function ingest(options: Options, say: Say, signal: AbortSignal): Promise<Report> {
  await using platform = await openPlatform(options, signal)
  const chosen = options.protocol === null ? [...protocols] : [options.protocol]
  const api = createApi(platform.url, platform.token)
  say(`making ${chosen.length * options.devices} devices`)
  const fleet = await buildFleet(api, platform, { protocols: chosen, devices: options.devices }, signal)
  await using database = platform.database === null ? null : await openDatabase(platform.database)

  const phases = 2 * chosen.length * (options.seconds + warmUpSeconds)
  const ledger = new Ledger(phases * uplinksPerSecondMax + chosen.length * options.devices)
  await firstUplinks(fleet, ledger, signal)
  say('adding transformers, twins and rules')
  await addFollowers(api, fleet, signal)

  const sizeBefore = database && (await databaseBytes(database))
  const sentBefore = ledger.sent
  const measured: Measured[] = []
  for (const group of fleet.groups)
    measured.push(...(await measureGroup(group, options, { platform, ledger, say, signal })))
  const sizeAfter = database && (await databaseBytes(database))
  say('counting in the database')
  const stored = database && (await countStored(database, fleet.accountId, ledger))
  const baseline =
    platform.isOurs && platform.database ? await runBaseline(platform.database, options, say, signal) : null
  const points = (ledger.sent - sentBefore) * valueKeys.length
  const bytesPerPoint = sizeBefore === null || sizeAfter === null ? null : (sizeAfter - sizeBefore) / points
  return report({ fleet, ledger, measured, stored, baseline, bytesPerPoint })
}

/** Every device sends once; that makes its states. */
async function firstUplinks(fleet: Fleet, ledger: Ledger, signal: AbortSignal): Promise<void> {
  for (const group of fleet.groups) {
    await using opened = await openRoutes(group)
    const { sent, acknowledged } = await greet(opened.routes, ledger, signal)
    if (acknowledged < sent)
      throw new Error(
        `of ${sent} first uplinks over ${group.protocol} only ${acknowledged} were acknowledged`,
      )
  }
}

async function measureGroup(
  group: Group,
  options: Options,
  tools: { platform: Platform; ledger: Ledger; say: Say; signal: AbortSignal },
): Promise<Measured[]> {
  const { platform, ledger, say, signal } = tools
  const { protocol } = group
  await using opened = await openRoutes(group)
  const { routes } = opened
  say(`${protocol}: as fast as it is acknowledged, ${options.seconds} s`)
  await closedLoop(routes, ledger, warmUpSeconds, signal)
  const closed = await measure(platform.pids, () => closedLoop(routes, ledger, options.seconds, signal))
  const rate = options.rate ?? Math.max(1, Math.round(closed.phase.uplinksPerSecond * openShare))
  say(`${protocol}: ${rate} uplinks/s, ${options.seconds} s`)
  const { seconds } = options
  const open = await measure(platform.pids, () => openLoop(routes, ledger, { seconds, rate }, signal))
  return [
    { name: `${protocol}, closed loop`, protocol, rate: null, ...closed },
    { name: `${protocol}, open loop`, protocol, rate, ...open },
  ]
}

async function measure(
  pids: { server: number | null; database: number | null },
  run: () => Promise<Phase>,
): Promise<{ phase: Phase; cost: Cost }> {
  using meter = new CostMeter(pids)
  const phase = await run()
  return { phase, cost: meter.stop() }
}

/** The same load into the same broker with one insert behind it. */
async function runBaseline(
  cluster: pg.ClientConfig,
  options: Options,
  say: Say,
  signal: AbortSignal,
): Promise<Phase> {
  say(`baseline: broker and one insert, ${options.seconds} s`)
  await using baseline = await startBaseline(cluster, options.devices)
  const devices = Array.from({ length: options.devices }, (_, index) => simulatedDevice(index))
  const login = { username: 'baseline', password: 'baseline' }
  await using opened = await openRoutes({
    ...{ protocol: 'mqtt', devices },
    ...{ mqtt: { port: baseline.port, ...login }, http: { port: 0, path: '' } },
  })
  const ledger = new Ledger((options.seconds + warmUpSeconds) * 2 * uplinksPerSecondMax)
  const routes: readonly Route[] = opened.routes
  await closedLoop(routes, ledger, warmUpSeconds, signal)
  return closedLoop(routes, ledger, options.seconds, signal)
}

interface Outcome {
  fleet: Fleet
  ledger: Ledger
  measured: readonly Measured[]
  stored: Stored | null
  baseline: Phase | null
  bytesPerPoint: number | null
}

function report({ fleet, ledger, measured, stored, baseline, bytesPerPoint }: Outcome): Report {
  const [closed, open] = measured as [Measured, Measured]
  let acknowledged = 0
  for (let sequence = 1; sequence <= ledger.sent; sequence++)
    if (ledger.isAcknowledged(sequence)) acknowledged++
  const ratio = baseline && closed.phase.uplinksPerSecond / baseline.uplinksPerSecond
  const json = {
    subject: 'ingest',
    uplinksPerSecond: rounded(closed.phase.uplinksPerSecond),
    pointsPerSecond: rounded(closed.phase.uplinksPerSecond * valueKeys.length),
    // at the rate of the open loop, from the moment an uplink was due
    ackP50Ms: rounded(open.phase.latency.percentile(0.5)),
    ackP99Ms: rounded(open.phase.latency.percentile(0.99)),
    sent: ledger.sent,
    acknowledged,
    stored: stored?.stored ?? null,
    lost: stored?.lost ?? null,
    duplicated: stored?.duplicated ?? null,
    serverCpuSeconds: rounded(closed.cost.serverCpuSeconds),
    serverRssBytesMax: measured.reduce<number | null>(
      (max, { cost }) => (cost.serverRssBytesMax === null ? max : Math.max(max ?? 0, cost.serverRssBytesMax)),
      null,
    ),
    databaseBytesPerPoint: rounded(bytesPerPoint),
    baselineUplinksPerSecond: rounded(baseline?.uplinksPerSecond ?? null),
    ratioToBaseline: rounded(ratio),
    devices: fleet.groups.reduce((sum, group) => sum + group.devices.length, 0),
    devicesMadePerSecond: rounded(fleet.devicesPerSecond),
    phases: measured.map(({ protocol, rate, phase, cost }) => ({
      ...{ protocol, rate, seconds: phase.seconds, uplinksPerSecond: rounded(phase.uplinksPerSecond) },
      ...{ sent: phase.sent, acknowledged: phase.acknowledged, notSent: phase.notSent },
      ackP50Ms: rounded(phase.latency.percentile(0.5)),
      ackP99Ms: rounded(phase.latency.percentile(0.99)),
      ackMaxMs: rounded(phase.latency.max),
      serverCpuSeconds: rounded(cost.serverCpuSeconds),
      databaseCpuSeconds: rounded(cost.databaseCpuSeconds),
      generatorCpuSeconds: rounded(cost.generatorCpuSeconds),
      serverRssBytesMax: cost.serverRssBytesMax,
    })),
  }
  return { json, lines: [...phaseTable(measured, baseline), '', ...summary(json)] }
}

function phaseTable(measured: readonly Measured[], baseline: Phase | null): string[] {
  const head = [
    'phase',
    'uplinks/s',
    'points/s',
    'ack p50 ms',
    'ack p99 ms',
    'max ms',
    'not acked',
    'not sent',
  ]
  const row = (name: string, phase: Phase) => [
    name,
    cell(Math.round(phase.uplinksPerSecond)),
    cell(Math.round(phase.uplinksPerSecond * valueKeys.length)),
    cell(phase.latency.percentile(0.5)),
    cell(phase.latency.percentile(0.99)),
    cell(phase.latency.max),
    cell(phase.sent - phase.acknowledged),
    cell(phase.notSent),
  ]
  const costs = measured.map(({ name, cost }) => [
    name,
    cell(cost.serverCpuSeconds),
    cell(cost.databaseCpuSeconds),
    cell(cost.generatorCpuSeconds),
    cell(cost.serverRssBytesMax === null ? null : Math.round(cost.serverRssBytesMax / 1_048_576)),
  ])
  return [
    ...table([
      head,
      ...measured.map(({ name, rate, phase }) =>
        row(rate === null ? name : `${name} at ${cell(rate)}/s`, phase),
      ),
      ...(baseline === null ? [] : [row('baseline: broker + insert', baseline)]),
    ]),
    '',
    ...table([['processor seconds', 'server', 'database', 'generator', 'server MiB'], ...costs]),
  ]
}

function summary(json: {
  sent: number
  acknowledged: number
  stored: number | null
  lost: number | null
  duplicated: number | null
  databaseBytesPerPoint: number | null
  ratioToBaseline: number | null
  devices: number
  devicesMadePerSecond: number | null
}): string[] {
  return table([
    ['whole run', ''],
    ['uplinks sent', cell(json.sent)],
    ['acknowledged', cell(json.acknowledged)],
    ['stored', cell(json.stored)],
    ['lost (acknowledged, not stored)', cell(json.lost)],
    ['duplicated', cell(json.duplicated)],
    ['database bytes per point', cell(json.databaseBytesPerPoint)],
    ['ratio to baseline', cell(json.ratioToBaseline)],
    ['devices', cell(json.devices)],
    ['devices made per second', cell(json.devicesMadePerSecond)],
  ])
}
