import type { Options } from '../arguments.ts'
import { createApi } from '../client.ts'
import { countStored, followUp, openDatabase } from '../database.ts'
import { addFollowers, buildFleet } from '../fleet.ts'
import { greet, Ledger, openLoop, type Phase } from '../load/drive.ts'
import { openRoutes } from '../load/open.ts'
import { openPlatform } from '../platform.ts'
import { type Cost, CostMeter } from '../processes.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Report, Say } from './report.ts'

const defaultRate = 2_000
const warmUpSeconds = 10
/** The run is looked at in so many equal stretches. */
const stretches = 10
const megabyte = 1024 * 1024

interface Stretch {
  phase: Phase
  cost: Cost
}

/**
 * A fixed rate for a long time: whether memory and latency stay flat. Memory counts as flat if the last
 * stretch needs at most a tenth more than the third: the first ones fill bounded caches.
 */
export async function soak(options: Options, say: Say, signal: AbortSignal): Promise<Report> {
  await using platform = await openPlatform(options, signal)
  const protocol = options.protocol ?? 'mqtt'
  const rate = options.rate ?? defaultRate
  const api = createApi(platform.url, platform.token)
  say(`making ${options.devices} devices`)
  const fleet = await buildFleet(api, platform, { protocols: [protocol], devices: options.devices }, signal)
  const [group] = fleet.groups
  if (group === undefined) throw new Error('there are no devices')
  await using opened = await openRoutes(group)
  await using database = platform.database === null ? null : await openDatabase(platform.database)
  const ledger = new Ledger(group.devices.length + (options.seconds + warmUpSeconds + stretches) * rate)
  await greet(opened.routes, ledger, signal)
  say('adding transformers, twins and rules')
  await addFollowers(api, fleet, signal)
  await openLoop(opened.routes, ledger, { seconds: warmUpSeconds, rate }, signal)

  const seen: Stretch[] = []
  for (let index = 0; index < stretches; index++) {
    const seconds = Math.max(1, Math.round(options.seconds / stretches))
    say(`${protocol}: ${rate} uplinks/s, stretch ${index + 1} of ${stretches}, ${seconds} s`)
    using meter = new CostMeter(platform.pids)
    const phase = await openLoop(opened.routes, ledger, { seconds, rate }, signal)
    seen.push({ phase, cost: meter.stop() })
  }
  if (database !== null) await followUp(database, signal)
  say('counting in the database')
  const stored = database && (await countStored(database, fleet.accountId, ledger))
  const rss = seen.map(({ cost }) => cost.serverRssBytesMax)
  const [third, last] = [rss[2] ?? null, rss.at(-1) ?? null]
  const growth = third === null || last === null ? null : last / third
  const json = {
    subject: 'soak',
    protocol,
    rate,
    seconds: options.seconds,
    devices: group.devices.length,
    sent: ledger.sent,
    acknowledged: ledger.acknowledged,
    stored: stored?.stored ?? null,
    lost: stored?.lost ?? null,
    duplicated: stored?.duplicated ?? null,
    serverRssBytes: rss,
    growth: rounded(growth),
    isFlat: growth === null ? null : growth <= 1.1,
    stretches: seen.map(({ phase, cost }) => ({
      uplinksPerSecond: rounded(phase.uplinksPerSecond),
      notSent: phase.notSent,
      ackP50Ms: rounded(phase.latency.percentile(0.5)),
      ackP99Ms: rounded(phase.latency.percentile(0.99)),
      serverCpuSeconds: rounded(cost.serverCpuSeconds),
      databaseCpuSeconds: rounded(cost.databaseCpuSeconds),
    })),
  }
  const lines = [
    ...table([
      ['stretch', 'uplinks/s', 'ack p50 ms', 'ack p99 ms', 'max ms', 'server MiB', 'server s', 'database s'],
      ...seen.map(({ phase, cost }, index) => [
        String(index + 1),
        cell(Math.round(phase.uplinksPerSecond)),
        cell(phase.latency.percentile(0.5)),
        cell(phase.latency.percentile(0.99)),
        cell(phase.latency.max),
        cell(cost.serverRssBytesMax === null ? null : Math.round(cost.serverRssBytesMax / megabyte)),
        cell(cost.serverCpuSeconds),
        cell(cost.databaseCpuSeconds),
      ]),
    ]),
    '',
    ...table([
      ['whole run', ''],
      ['acknowledged', cell(json.acknowledged)],
      ['lost (acknowledged, not stored)', cell(json.lost)],
      ['duplicated', cell(json.duplicated)],
      ['memory, last stretch by third', cell(json.growth)],
    ]),
  ]
  const isClean = (stored === null || (stored.lost === 0 && stored.duplicated === 0)) && json.isFlat !== false
  return { json, lines, isClean }
}
