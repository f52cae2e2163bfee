import { setTimeout as delay } from 'node:timers/promises'
import type { Options } from '../arguments.ts'
import { createApi } from '../client.ts'
import { ownControlGroup } from '../controlGroup.ts'
import { countStored, followUp, openDatabase } from '../database.ts'
import { buildFleet, type Fleet, type Group } from '../fleet.ts'
import { Flooder } from '../flood/flooder.ts'
import type { AttackKind, Flood } from '../flood/messages.ts'
import { buildHostile, type HostileTarget } from '../hostile/account.ts'
import { greet, Ledger, openLoop, type Phase, together } from '../load/drive.ts'
import { openRoutes } from '../load/open.ts'
import { openPlatform, type Platform } from '../platform.ts'
import { CostMeter, rssOf } from '../processes.ts'
import { floodReport, type Measured } from './floodReport.ts'
import type { Report, Say } from './report.ts'

/** Uplinks per second of the quiet account, over both protocols. */
const quietRate = 80
const quietDevices = 40
/** Independent devices: none waits for another's reply. */
const quietShape = { connections: quietDevices, window: 8 } as const
/** Devices behind the webhook that floods. */
const httpFlooders = 200
/** 187 000 messages in 5 minutes. */
const burstRate = 623
/** The flood runs this long before the measurement, and a second longer after it. */
const warmUpSeconds = 3
/** Platform and database become idle before memory is read. */
const restMs = 5_000

/**
 * A quiet account next to a flooding one: its latency alone and during each flood, memory, lost and
 * duplicated uplinks.
 */
export async function flood(options: Options, say: Say, signal: AbortSignal): Promise<Report> {
  using group = ownControlGroup()
  await using platform = await openPlatform(options, signal)
  if (platform.database === null) throw new Error('a flood is counted in the database')
  const quiet = await makeQuiet(platform, options, say, signal)
  await using flooder = await makeFlooder(platform, options, say, signal)
  await using database = await openDatabase(platform.database)
  const rssBefore = await memory(platform, signal)

  const measured: Measured[] = []
  const measure = async (name: string, beside: Beside) => {
    say(`${name}, ${options.seconds} s`)
    measured.push({ name, ...(await phase(platform, quiet, flooder, beside, options, signal)) })
    await followUp(database, signal)
  }
  await measure('alone, before', null)
  for (const each of floods(options.devices)) await measure(each.name, { flood: each })
  const looping = await makeHostile(platform, say)
  await measure('transformers that loop', { hostile: looping, kind: 'looping' })
  await measure('a hostile account', { hostile: await makeHostile(platform, say), kind: 'everything' })
  await measure('alone, after', null)

  const rssAfter = await memory(platform, signal)
  say('counting in the database')
  const own = await countStored(database, quiet.accountId, quiet.ledger)
  const others = await flooder.count(platform.database)
  const lost = own.lost + others.lost
  const duplicated = own.duplicated + others.duplicated
  const stored = own.stored + others.stored
  return floodReport({
    rate: quiet.rate,
    devices: options.devices,
    measured,
    stored,
    lost,
    duplicated,
    rssBefore,
    rssAfter,
    isGrouped: group !== null && platform.isOurs,
  })
}

function floods(devices: number): Flood[] {
  return [
    { name: '187 000 in 5 minutes, MQTT', protocol: 'mqtt', rate: burstRate, connections: null },
    { name: `${devices} devices at 1/s, MQTT`, protocol: 'mqtt', rate: devices, connections: devices },
    { name: 'as fast as it goes, MQTT', protocol: 'mqtt', rate: null, connections: null },
    { name: 'as fast as it goes, HTTP', protocol: 'http', rate: null, connections: null },
  ]
}

interface Quiet {
  accountId: number
  rate: number
  ledger: Ledger
  groups: readonly Group[]
}

/** Idle connections are closed after a while, so each phase opens its own. */
async function openQuiet({ groups }: Pick<Quiet, 'groups'>) {
  await using opened = new AsyncDisposableStack()
  const [mqtt, http] = await Promise.all(groups.map((group) => openRoutes(group, quietShape)))
  if (mqtt === undefined || http === undefined) throw new Error('there are no devices')
  for (const routes of [mqtt, http]) opened.use(routes)
  const kept = opened.move()
  return { mqtt, http, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

async function makeQuiet(
  platform: Platform,
  options: Options,
  say: Say,
  signal: AbortSignal,
): Promise<Quiet> {
  say('making the quiet account')
  const api = createApi(platform.url, platform.token)
  const made = { protocols: ['mqtt', 'http'], devices: quietDevices } as const
  const { accountId, groups } = await buildFleet(api, platform, made, signal)
  const rate = options.rate ?? quietRate
  const phases = floods(0).length + 4
  const ledger = new Ledger(2 * quietDevices + phases * (options.seconds + 1) * (rate + 2))
  await using opened = await openQuiet({ groups })
  for (const { routes } of [opened.mqtt, opened.http]) await greet(routes, ledger, signal)
  return { accountId, rate, ledger, groups }
}

async function makeFlooder(
  platform: Platform,
  options: Options,
  say: Say,
  signal: AbortSignal,
): Promise<Flooder> {
  say(`making ${options.devices + httpFlooders} devices that flood`)
  const api = createApi(platform.url, platform.token)
  const fleets: Fleet[] = [
    await buildFleet(api, platform, { protocols: ['mqtt'], devices: options.devices }, signal),
    await buildFleet(api, platform, { protocols: ['http'], devices: httpFlooders }, signal),
  ]
  const flooder = new Flooder()
  try {
    await flooder.prepare(
      fleets.flatMap(({ accountId, groups }) => groups.map((group) => ({ ...group, accountId }))),
    )
    return flooder
  } catch (error) {
    await flooder[Symbol.asyncDispose]()
    throw error
  }
}

/** Load next to the quiet account. */
type Beside = null | { flood: Flood } | { hostile: HostileTarget; kind: AttackKind }

async function makeHostile(platform: Platform, say: Say): Promise<HostileTarget> {
  say('making the hostile account')
  return buildHostile(createApi(platform.url, platform.token), platform)
}

/** Measures the quiet account, with or without a flood. */
async function phase(
  platform: Platform,
  quiet: Quiet,
  flooder: Flooder,
  beside: Beside,
  { seconds }: Options,
  signal: AbortSignal,
): Promise<Omit<Measured, 'name'>> {
  // Opened before any other load: a stalled platform would delay the measurement instead of being measured.
  await using opened = await openQuiet(quiet)
  const flooding = beside !== null && 'flood' in beside ? beside.flood : null
  if (flooding !== null) await flooder.open(flooding)
  const lasts = warmUpSeconds + seconds + 1
  const flooded = flooding && flooder.run(flooding, lasts)
  const attacked =
    beside !== null && 'hostile' in beside ? flooder.attack(beside.hostile, beside.kind, lasts) : null
  // Failures surface where they are awaited.
  flooded?.catch(() => undefined)
  attacked?.catch(() => undefined)
  await delay(warmUpSeconds * 1000, undefined, { signal })
  using meter = new CostMeter(platform.pids)
  const half = { seconds, rate: Math.max(1, Math.round(quiet.rate / 2)) }
  const [mqtt, http] = await Promise.all([
    openLoop(opened.mqtt.routes, quiet.ledger, half, signal),
    openLoop(opened.http.routes, quiet.ledger, half, signal),
  ])
  const cost = meter.stop()
  const result = {
    mqtt,
    http,
    both: sideBySide(mqtt, http),
    cost,
    flooded: await flooded,
    attacked: (await attacked)?.attacked ?? null,
  }
  if (flooding !== null) await flooder.close()
  return result
}

/** Merges two concurrent phases. */
function sideBySide(one: Phase, other: Phase): Phase {
  return { ...together([one, other]), uplinksPerSecond: one.uplinksPerSecond + other.uplinksPerSecond }
}

async function memory({ pids: { server, database } }: Platform, signal: AbortSignal): Promise<number | null> {
  await delay(restMs, undefined, { signal })
  return server === null ? null : rssOf(server, database)
}
