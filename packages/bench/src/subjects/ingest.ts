import type pg from 'pg'
import type { Options } from '../arguments.ts'
import { protocols } from '../arguments.ts'
import { type Baseline, startBaseline } from '../baseline/index.ts'
import { createApi } from '../client.ts'
import { countStored, databaseBytes, followUp, openDatabase } from '../database.ts'
import { addFollowers, buildFleet, type Fleet, type Group } from '../fleet.ts'
import { closedLoop, greet, Ledger, openLoop, type Phase, type Route, together } from '../load/drive.ts'
import { openRoutes, type Routes } from '../load/open.ts'
import { simulatedDevice, valueKeys } from '../load/uplinks.ts'
import { openPlatform, type Platform } from '../platform.ts'
import { CostMeter, totalCost } from '../processes.ts'
import { ingestReport, type Measured } from './ingestReport.ts'
import type { Report, Say } from './report.ts'

/** Before a phase is measured; compilers and caches get warm. */
const warmUpSeconds = 3
/** Platform and baseline alternate, so that other load on the machine affects both. */
const turns = 3
/** Default rates of the open loop, as shares of the closed loop's: the cost of an uplink should depend on none of them. */
const openShares = [0.3, 0.5, 0.7]
/** Faster than any machine used; bounds the memory of the ledger. */
const uplinksPerSecondMax = 30_000

type Pids = Platform['pids']

/** Uplinks from sent to acknowledged, counted afterwards in the database, against the baseline. */
export async function ingest(options: Options, say: Say, signal: AbortSignal): Promise<Report> {
  await using platform = await openPlatform(options, signal)
  const chosen = options.protocol === null ? [...protocols] : [options.protocol]
  const api = createApi(platform.url, platform.token)
  say(`making ${chosen.length * options.devices} devices`)
  const fleet = await buildFleet(api, platform, { protocols: chosen, devices: options.devices }, signal)
  await using database = platform.database === null ? null : await openDatabase(platform.database)
  await using baseline = platform.isOurs ? await openBaseline(platform, options) : null

  const phases = ((1 + openShares.length) * chosen.length + 1) * (options.seconds + warmUpSeconds)
  const ledger = new Ledger(phases * uplinksPerSecondMax + chosen.length * options.devices)
  await firstUplinks(fleet, ledger, signal)
  say('adding transformers, twins and rules')
  await addFollowers(api, fleet, signal)

  const sizeBefore = database && (await databaseBytes(database))
  const sentBefore = ledger.sent
  const measured: Measured[] = []
  for (const group of fleet.groups)
    measured.push(
      ...(await measureGroup(group, { options, platform, database, baseline, ledger, say, signal })),
    )
  const sizeAfter = database && (await databaseBytes(database))
  say('counting in the database')
  const stored = database && (await countStored(database, fleet.accountId, ledger))
  const points = (ledger.sent - sentBefore) * valueKeys.length
  const bytesPerPoint = sizeBefore === null || sizeAfter === null ? null : (sizeAfter - sizeBefore) / points
  return ingestReport({ fleet, ledger, measured, stored, bytesPerPoint })
}

/** Every device sends once, which creates its states. */
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

interface Tools {
  options: Options
  platform: Platform
  database: pg.Client | null
  baseline: OpenBaseline | null
  ledger: Ledger
  say: Say
  signal: AbortSignal
}

async function measureGroup(group: Group, tools: Tools): Promise<Measured[]> {
  const { options, platform, ledger, say, signal } = tools
  const { protocol } = group
  // The baseline speaks MQTT; one run against it is enough.
  const baseline = protocol === (options.protocol ?? 'mqtt') ? tools.baseline : null
  await using opened = await openRoutes(group)
  const { routes } = opened
  say(
    `${protocol}: as fast as it is acknowledged, ${options.seconds} s${baseline ? ', and the baseline' : ''}`,
  )
  const settle = () => (tools.database === null ? null : followUp(tools.database, signal))
  const own = { routes, ledger, pids: platform.pids, settle }
  const closed = await takeTurns(own, baseline, options.seconds, signal)
  const ofShare = (share: number) => Math.max(1, Math.round(closed.own.phase.uplinksPerSecond * share))
  const rates = options.rate === null ? openShares.map(ofShare) : [options.rate]
  const { seconds } = options
  const open: Measured[] = []
  for (const rate of rates) {
    say(`${protocol}: ${rate} uplinks/s, ${seconds} s`)
    const result = await measure(own, () => openLoop(routes, ledger, { seconds, rate }, signal))
    open.push({ kind: 'open', protocol, rate, ...result })
  }
  return [
    { kind: 'closed', protocol, rate: null, ...closed.own },
    ...open,
    ...(closed.other === null
      ? []
      : [{ kind: 'baseline', protocol: 'mqtt', rate: null, ...closed.other } as const]),
  ]
}

type Result = Pick<Measured, 'phase' | 'cost' | 'followUpMs'>

interface Side {
  routes: readonly Route[]
  ledger: Ledger
  pids: Pids
  /** Waits until the effects of stored values are done, so that no phase carries load of the previous one. */
  settle(): Promise<number | null> | null
}

/** The closed loop on the platform and, in turns with it, on the baseline. */
async function takeTurns(own: Side, baseline: OpenBaseline | null, seconds: number, signal: AbortSignal) {
  const sides = baseline === null ? [own] : [own, baseline]
  for (const { routes, ledger, settle } of sides) {
    await closedLoop(routes, ledger, warmUpSeconds, signal)
    await settle()
  }
  const results = sides.map((): Result[] => [])
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, side] of sides.entries()) {
      const run = () => closedLoop(side.routes, side.ledger, seconds / turns, signal)
      results[index]?.push(await measure(side, run))
    }
  }
  const [first = [], second] = results
  const other = second === undefined ? null : total(second)
  if (baseline && other && other.phase.acknowledged < other.phase.sent)
    throw new Error(`the baseline failed: ${baseline.said()}`)
  return { own: total(first), other }
}

function total(parts: readonly Result[]): Result {
  const waits = parts.map(({ followUpMs }) => followUpMs)
  return {
    phase: together(parts.map(({ phase }) => phase)),
    cost: totalCost(parts.map(({ cost }) => cost)),
    followUpMs: waits.some((wait) => wait === null) ? null : Math.max(...waits.map(Number)),
  }
}

async function measure(side: Side, run: () => Promise<Phase>): Promise<Result> {
  using meter = new CostMeter(side.pids)
  const phase = await run()
  // Effects of the stored values are part of their cost.
  const followUpMs = await side.settle()
  return { phase, cost: meter.stop(), followUpMs }
}

interface OpenBaseline extends Side, AsyncDisposable {
  said: Baseline['said']
}

/** The same load goes into the same broker with one insert behind it. */
async function openBaseline(platform: Platform, options: Options): Promise<OpenBaseline | null> {
  if (platform.database === null) return null
  const count = options.devices
  await using opened = new AsyncDisposableStack()
  const baseline = opened.use(await startBaseline(platform.database, count))
  const devices = Array.from({ length: count }, (_, index) => simulatedDevice(index))
  const login = { username: 'baseline', password: 'baseline' }
  const connections: Routes = opened.use(
    await openRoutes({
      protocol: 'mqtt',
      devices,
      mqtt: { port: baseline.port, ...login },
      http: { port: 0, path: '' },
    }),
  )
  const kept = opened.move()
  return {
    routes: connections.routes,
    // its uplinks have their own numbers, as they are not counted afterwards
    ledger: new Ledger(uplinksPerSecondMax * (options.seconds + warmUpSeconds)),
    pids: { server: baseline.pid, database: platform.pids.database },
    settle: () => null,
    said: baseline.said,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
