import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { lineOf } from '../chaos/city.ts'
import { openForeignBroker } from '../chaos/foreignBroker.ts'
import { Load } from '../chaos/load.ts'
import { logFileOf, Supervisor } from '../chaos/supervisor.ts'
import { type Api, createApi } from '../client.ts'
import { SharedDatabase } from '../cluster/database.ts'
import { countStored, openDatabase } from '../database.ts'
import { buildFleet, type Group } from '../fleet.ts'
import { closedLoop, greet, Ledger } from '../load/drive.ts'
import { openRoutes } from '../load/open.ts'
import { simulatedDevice } from '../load/uplinks.ts'
import { admin, temporaryFolder } from '../platform.ts'
import { cpuSecondsOf } from '../processes.ts'
import type { Say } from '../subjects/report.ts'
import { tables } from './flow.ts'
import { installNodeRed, NodeRed } from './nodeRed.ts'

interface Options {
  devices: number
  seconds: number
}

/** How fast uplinks were stored, and what they cost. */
export interface Throughput {
  acknowledged: number
  stored: number
  /** from the first uplink until the last was stored */
  seconds: number
  /** processor seconds; the broker is part of Leitstand */
  cpu: { platform: number; broker: number | null; database: number }
}

/** What a kill -9 under load has cost. */
export interface Kill {
  acknowledged: number
  /** acknowledged and never stored */
  lost: number
  duplicated: number
}

export interface Side {
  name: string
  throughput: Throughput
  kill: Kill
}

/** What a side is asked by the measurements. */
interface Subject {
  group: Group
  /** processes by part, read at the beginning and the end */
  pids(): { platform: number; broker: number | null; database: number }
  /** uplinks stored so far */
  count(): Promise<number>
  /** which of them were stored, by their number */
  audit(entries: Pick<Ledger, 'sent' | 'isAcknowledged'>): Promise<{ lost: number; duplicated: number }>
  /** kill -9, and the start that follows */
  kill(): Promise<void>
}

/** Faster than any machine used; bounds the memory of the ledger. */
const uplinksPerSecondMax = 30_000
/** Devices and uplinks per second while a side is killed: far below what both can do. */
const killed = { devices: 100, rate: 200, beforeMs: 4_000, afterMs: 6_000 }
/** Nothing more is stored when nothing was for so long. */
const stillMs = 5_000
const pollMs = 200
const patienceMs = 120_000
const unlockedBroker = { username: 'load', password: 'load' }

/** Both sides in turn on the same machine, with the same uplinks, driver and database server. */
export async function measurePeers(options: Options, say: Say, signal: AbortSignal): Promise<Side[]> {
  say('installing Node-RED, if it is not there')
  const program = await installNodeRed()
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(temporaryFolder()).path
  const database = opened.use(await SharedDatabase.start(folder))
  const sides: Side[] = []
  sides.push(await leitstand(options, folder, database, say, signal))
  for (const isPersistent of [false, true])
    sides.push(await nodeRed({ ...options, program, isPersistent }, folder, database, say, signal))
  return sides
}

async function leitstand(
  options: Options,
  folder: string,
  database: SharedDatabase,
  say: Say,
  signal: AbortSignal,
): Promise<Side> {
  say('starting Leitstand')
  await using supervisor = await Supervisor.open({
    dataDir: join(folder, 'leitstand'),
    logFile: logFileOf(folder),
    smtpUrl: '',
    settings: { DATABASE_URL: database.url },
    signal,
  })
  if (!(await supervisor.ready(patienceMs))) throw new Error(`Leitstand was not ready: ${supervisor.tail()}`)
  const { token } = await createApi(supervisor.url).auth.login(admin)
  const api = createApi(supervisor.url, token)
  await using client = await openDatabase(database.config ?? {})
  const subject = async (devices: number): Promise<Subject> => {
    const { accountId, group } = await makeDevices(api, supervisor, devices, signal)
    return {
      group,
      pids: () => ({ platform: supervisor.pid ?? 0, broker: null, database: database.pid ?? 0 }),
      count: async () => {
        const { rows } = await client.query<{ count: string }>(
          'select count(*) from packets where account_id = $1',
          [accountId],
        )
        return Number(rows[0]?.count)
      },
      audit: (entries) => countStored(client, accountId, entries),
      kill: async () => {
        const { pid } = supervisor
        supervisor.kill('SIGKILL')
        if (pid !== null) await supervisor.restarted(pid)
      },
    }
  }
  const throughput = await measureThroughput(await subject(options.devices), options, say, signal)
  const kill = await measureKill(await subject(killed.devices), say, signal)
  return { name: 'Leitstand', throughput, kill }
}

async function makeDevices(api: Api, { url, mqttPort }: Supervisor, devices: number, signal: AbortSignal) {
  const { accountId, groups } = await buildFleet(
    api,
    { url, mqttPort },
    { protocols: ['mqtt'], devices },
    signal,
  )
  const [group] = groups
  if (group === undefined) throw new Error('a fleet has a group for each protocol')
  return { accountId, group }
}

async function nodeRed(
  options: Options & { program: string; isPersistent: boolean },
  folder: string,
  database: SharedDatabase,
  say: Say,
  signal: AbortSignal,
): Promise<Side> {
  const name = options.isPersistent ? 'Node-RED, session kept' : 'Node-RED'
  say(`starting ${name}`)
  const own = join(folder, options.isPersistent ? 'nodeRedKept' : 'nodeRed')
  mkdirSync(own, { recursive: true })
  const config = await makeDatabase(database, options.isPersistent ? 'node_red_kept' : 'node_red')
  await using broker = await openForeignBroker(own)
  if (broker === null)
    throw new Error('this needs mosquitto: install it, e.g. with "apt-get install mosquitto"')
  await using flow = await NodeRed.start({
    program: options.program,
    folder: own,
    brokerPort: broker.port,
    database: config,
    isPersistent: options.isPersistent,
  })
  await using client = await openDatabase(config)
  const subject = (devices: number, from: number): Subject => ({
    group: {
      protocol: 'mqtt',
      connectorId: 0,
      devices: Array.from({ length: devices }, (_, index) => ({
        ...simulatedDevice(from + index),
        id: index,
      })),
      mqtt: { port: broker.port, ...unlockedBroker },
      http: { port: 0, path: '' },
    },
    pids: () => ({ platform: flow.pid ?? 0, broker: broker.pid, database: database.pid ?? 0 }),
    count: async () => {
      const { rows } = await client.query<{ count: string }>('select count(*) from uplinks')
      return Number(rows[0]?.count)
    },
    audit: (entries) => auditPoints(client, entries),
    kill: async () => {
      await flow.crash()
      await flow.up()
    },
  })
  const throughput = await measureThroughput(subject(options.devices, 0), options, say, signal)
  await client.query('truncate uplinks, points')
  const kill = await measureKill(subject(killed.devices, options.devices), say, signal)
  return { name, throughput, kill }
}

async function makeDatabase(database: SharedDatabase, name: string): Promise<pg.ClientConfig> {
  const config = database.config ?? {}
  const client = new pg.Client(config)
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  const own = { ...config, database: name }
  const made = new pg.Client(own)
  await made.connect()
  await made.query(tables)
  await made.end()
  return own
}

/** The numbers of the uplinks come back from two of their values. */
async function auditPoints(
  client: pg.Client,
  { sent, isAcknowledged }: Pick<Ledger, 'sent' | 'isAcknowledged'>,
): Promise<{ lost: number; duplicated: number }> {
  const { rows } = await client.query<{ sequence: number; times: number }>(
    `select (c.value * 65536 + i.value)::float8 as sequence, count(u.id)::int as times
      from points c join points i on i.device = c.device and i.time = c.time and i.key = 'illuminance'
      join uplinks u on u.device = c.device and u.time = c.time
      where c.key = 'co2' group by 1`,
  )
  const stored = new Map(rows.map(({ sequence, times }) => [sequence, times]))
  let [lost, duplicated] = [0, 0]
  for (let sequence = 1; sequence <= sent; sequence++) {
    const times = stored.get(sequence) ?? 0
    if (isAcknowledged(sequence) && times === 0) lost++
    duplicated += Math.max(0, times - 1)
  }
  return { lost, duplicated }
}

/** As fast as it is acknowledged, then until nothing more is stored. */
async function measureThroughput(
  subject: Subject,
  { seconds }: Options,
  say: Say,
  signal: AbortSignal,
): Promise<Throughput> {
  const { group, pids, count } = subject
  const ledger = new Ledger(seconds * uplinksPerSecondMax + group.devices.length)
  await using connections = await openRoutes(group)
  const greeted = await greet(connections.routes, ledger, signal)
  await settled(count, signal)
  const first = await count()
  say(`as fast as it is acknowledged, for ${seconds} s`)
  const before = cpuOf(pids())
  const from = performance.now()
  const phase = await closedLoop(connections.routes, ledger, seconds, signal)
  const { atMs, found } = await settled(count, signal, phase.acknowledged + greeted.acknowledged)
  const after = cpuOf(pids())
  return {
    acknowledged: phase.acknowledged,
    stored: found - first,
    seconds: (atMs - from) / 1000,
    cpu: {
      platform: after.platform - before.platform,
      broker: after.broker === null || before.broker === null ? null : after.broker - before.broker,
      database: after.database - before.database,
    },
  }
}

function cpuOf({ platform, broker, database }: ReturnType<Subject['pids']>): Throughput['cpu'] {
  const of = (pid: number) => cpuSecondsOf(pid, null) ?? 0
  return { platform: of(platform), broker: broker === null ? null : of(broker), database: of(database) }
}

/** Waits until as many are stored, or nothing more is. @returns when the last was seen, and how many there are */
async function settled(
  count: () => Promise<number>,
  signal: AbortSignal,
  expected = Number.POSITIVE_INFINITY,
): Promise<{ atMs: number; found: number }> {
  let [found, atMs] = [await count(), performance.now()]
  while (found < expected && performance.now() - atMs < stillMs) {
    await delay(pollMs, undefined, { signal })
    const now = await count()
    if (now > found) [found, atMs] = [now, performance.now()]
  }
  return { found, atMs }
}

/** Devices that send again what is not acknowledged; a side is killed in the middle and started again. */
async function measureKill(subject: Subject, say: Say, signal: AbortSignal): Promise<Kill> {
  const { group, count, audit, kill } = subject
  const load = new Load([lineOf(group, 0)], killed.rate)
  try {
    await load.greet(patienceMs, signal)
    say(`kill -9 at ${killed.rate} uplinks/s`)
    load.start()
    await delay(killed.beforeMs, undefined, { signal })
    await kill()
    await delay(killed.afterMs, undefined, { signal })
    await load.pause(patienceMs, signal)
    await settled(count, signal)
    const { entries } = load
    const { lost, duplicated } = await audit({
      sent: entries.length,
      isAcknowledged: (sequence) => entries[sequence - 1]?.isAcknowledged ?? false,
    })
    return { acknowledged: load.acknowledged, lost, duplicated }
  } finally {
    load.stop()
  }
}
