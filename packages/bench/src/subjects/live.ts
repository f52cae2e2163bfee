import { setTimeout as delay } from 'node:timers/promises'
import type { Options } from '../arguments.ts'
import { createApi } from '../client.ts'
import { buildFleet } from '../fleet.ts'
import { greet, Ledger, openLoop } from '../load/drive.ts'
import { LiveReaders, sequencesIn } from '../load/liveReader.ts'
import { openRoutes } from '../load/open.ts'
import { openPlatform } from '../platform.ts'
import { Histogram } from '../report/histogram.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Report, Say } from './report.ts'

const defaultRate = 500
const warmUpSeconds = 3
/** How long to wait for values still in flight. */
const patienceMs = 10_000

/** Latency from an uplink's due time to its values on the live connection, at a fixed rate. */
export async function live(options: Options, say: Say, signal: AbortSignal): Promise<Report> {
  await using platform = await openPlatform(options, signal)
  const protocol = options.protocol ?? 'mqtt'
  const rate = options.rate ?? defaultRate
  say(`making ${options.devices} devices`)
  const api = createApi(platform.url, platform.token)
  const fleet = await buildFleet(api, platform, { protocols: [protocol], devices: options.devices }, signal)
  const [group] = fleet.groups
  if (group === undefined) throw new Error('there are no devices')
  await using opened = await openRoutes(group)
  const capacity = group.devices.length + (options.seconds + warmUpSeconds) * rate
  const ledger = new Ledger(capacity, { keepTimes: true })
  await greet(opened.routes, ledger, signal)
  await openLoop(opened.routes, ledger, { seconds: warmUpSeconds, rate }, signal)

  const latency = new Histogram()
  const before = ledger.sent
  const ids = group.devices.map(({ id }) => id)
  await using _readers = await LiveReaders.open(platform.url, platform.token, ids, (values) => {
    const now = performance.now()
    for (const sequence of sequencesIn(values)) {
      const due = ledger.dueAt(sequence)
      if (due !== undefined && sequence > before) latency.add(now - due)
    }
  })
  say(`${protocol}: ${rate} uplinks/s, ${options.seconds} s, ${ids.length} devices followed`)
  const phase = await openLoop(opened.routes, ledger, { seconds: options.seconds, rate }, signal)
  const deadline = performance.now() + patienceMs
  while (latency.count < phase.sent && performance.now() < deadline) await delay(10, undefined, { signal })

  const json = {
    subject: 'live',
    protocol,
    rate,
    devices: ids.length,
    sent: phase.sent,
    acknowledged: phase.acknowledged,
    heard: latency.count,
    notSent: phase.notSent,
    liveP50Ms: rounded(latency.percentile(0.5)),
    liveP99Ms: rounded(latency.percentile(0.99)),
    liveMaxMs: rounded(latency.max),
    ackP50Ms: rounded(phase.latency.percentile(0.5)),
    ackP99Ms: rounded(phase.latency.percentile(0.99)),
  }
  const lines = [
    ...table([
      [`${protocol} at ${cell(rate)} uplinks/s`, 'count', 'p50 ms', 'p99 ms', 'max ms'],
      ['acknowledged', ...delays(phase.latency)],
      ['on the live connection', ...delays(latency)],
    ]),
    '',
    `sent ${cell(phase.sent)}, not heard of ${cell(phase.sent - latency.count)}`,
  ]
  return { json, lines }
}

function delays(histogram: Histogram): string[] {
  const { count, max } = histogram
  return [count, histogram.percentile(0.5), histogram.percentile(0.99), max].map(cell)
}
