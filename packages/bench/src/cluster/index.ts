import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { packetPartitions } from '@leitstand/contract/nodes'
import type pg from 'pg'
import { type Api, createApi } from '../client.ts'
import { countStored, followUp, openDatabase, type Stored } from '../database.ts'
import { addFollowers, buildFleet, type Fleet } from '../fleet.ts'
import { closedLoop, greet, Ledger, type Phase } from '../load/drive.ts'
import { openRoutes } from '../load/open.ts'
import { admin, type Server, startServer, temporaryFolder } from '../platform.ts'
import type { Say } from '../subjects/report.ts'
import { type Balancer, openBalancer } from './balancer.ts'
import { type Costs, watchCosts } from './costs.ts'
import { SharedDatabase } from './database.ts'
import { NatsServers } from './natsServers.ts'
import { here } from './network.ts'
import { oneLine } from './report.ts'
import { type Takeover, takeOver } from './takeover.ts'
import { nodesSeen, waitingOf } from './waiting.ts'

export interface ClusterOptions {
  /** nodes at the end of the run */
  nodes: number
  devices: number
  /** length of each measured phase */
  seconds: number
}

/** A number of nodes under load. */
export interface Measured {
  /** 0: one without NATS */
  nodes: number
  phase: Phase
  costs: Costs
  /** messages in NATS that were not stored yet when the last was acknowledged; null without NATS */
  waiting: number | null
  /** until none was */
  storedMs: number
  /** until rules had seen all values, too */
  behindMs: number
}

export interface Outcome {
  measured: readonly Measured[]
  takeover: Takeover | null
  stored: Stored
  sent: number
  acknowledged: number
  seconds: number
}

const warmUpSeconds = 3
/** Faster than any machine used; bounds the memory of the ledger. */
const uplinksPerSecondMax = 30_000
const settleMaxMs = 60_000
const pollMs = 100

/** Everything around the nodes. */
interface Scene {
  options: ClusterOptions
  folder: string
  database: SharedDatabase
  client: pg.Client
  nats: NatsServers
  /** environment of every node */
  common: Record<string, string>
  ledger: Ledger
  say: Say
  signal: AbortSignal
}

/** One node without NATS, then one to several with it, on one database and with one load. */
export async function measureCluster(
  options: ClusterOptions,
  say: Say,
  signal: AbortSignal,
): Promise<Outcome> {
  const started = performance.now()
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(temporaryFolder()).path
  const database = opened.use(await SharedDatabase.start(folder))
  const nats = opened.use(await NatsServers.start(folder, () => here, signal))
  const common = { DATABASE_URL: database.url, LEITSTAND_SECRET: randomBytes(33).toString('base64') }
  const phases = options.nodes + 2
  const ledger = new Ledger(
    phases * (options.seconds + warmUpSeconds) * uplinksPerSecondMax + options.devices,
  )
  const scene = { options, folder, database, nats, common, ledger, say, signal }

  const first = await startServer(join(folder, 'alone'), signal, common)
  const client = opened.use(await openDatabase(database.config ?? {}))
  const whole: Scene = { ...scene, client }
  let fleet: Fleet
  const measured: Measured[] = []
  {
    await using alone = first
    const { token } = await createApi(alone.url).auth.login(admin)
    fleet = await prepare(whole, createApi(alone.url, token), alone)
    measured.push(await measure(whole, fleet, [alone], 0))
  }
  const takeover = await withNats(whole, fleet, measured)
  {
    await using alone = await startServer(join(folder, 'alone'), signal, common)
    measured.push(await measure(whole, fleet, [alone], 0))
  }
  say('counting in the database')
  const stored = await countStored(client, fleet.accountId, ledger)
  const { sent, acknowledged } = ledger
  return { measured, takeover, stored, sent, acknowledged, seconds: (performance.now() - started) / 1000 }
}

/** Makes the devices; each sends once, which creates its states. */
async function prepare({ options, ledger, say, signal }: Scene, api: Api, server: Server): Promise<Fleet> {
  say(`making ${options.devices} devices`)
  const fleet = await buildFleet(api, server, { protocols: ['mqtt'], devices: options.devices }, signal)
  await using connections = await routesOf(fleet, server)
  const { sent, acknowledged } = await greet(connections.routes, ledger, signal)
  if (acknowledged < sent) throw new Error(`of ${sent} first uplinks only ${acknowledged} were acknowledged`)
  say('adding transformers, twins and rules')
  await addFollowers(api, fleet, signal)
  return fleet
}

function routesOf(fleet: Fleet, { mqttPort }: Pick<Server, 'mqttPort'>) {
  const [group] = fleet.groups
  if (group === undefined) throw new Error('a fleet has a group for each protocol')
  return openRoutes({ ...group, mqtt: { ...group.mqtt, port: mqttPort } })
}

async function withNats(scene: Scene, fleet: Fleet, measured: Measured[]): Promise<Takeover | null> {
  const { options, folder, common, nats, say, signal } = scene
  await using opened = new AsyncDisposableStack()
  const nodes: Server[] = []
  for (let count = 1; count <= options.nodes; count++) {
    const name = `node${count}`
    const settings = { ...common, NATS_URL: nats.url, NODE_NAME: name }
    say(`starting ${name}`)
    nodes.push(opened.use(await startServer(join(folder, name), signal, settings)))
    await share(nodes, signal)
    measured.push(await measure(scene, fleet, nodes, count))
  }
  const [stays, victim] = [nodes[0], nodes.at(-1)]
  if (stays === undefined || victim === undefined || nodes.length < 2) return null
  say(`kill -9 of node${nodes.length}`)
  await using balancer = await openBalancer(folder, nodes.map(behind))
  const { token } = await createApi(stays.url).auth.login(admin)
  return await takeOver({
    api: createApi(stays.url, token),
    staysUrl: stays.url,
    token,
    balancer,
    database: scene.client,
    victim: `node${nodes.length}`,
    kill: () => process.kill(victim.pid, 'SIGKILL'),
    signal,
  })
}

const behind = ({ url, mqttPort }: Server) => ({
  host: '127.0.0.1',
  port: Number(new URL(url).port),
  mqttPort,
})

async function apiOf([first]: readonly Server[]): Promise<Api> {
  const url = first?.url ?? ''
  const { token } = await createApi(url).auth.login(admin)
  return createApi(url, token)
}

/** Waits until every node has partitions, and all of them are somebody's. */
async function share(nodes: readonly Server[], signal: AbortSignal): Promise<void> {
  const api = await apiOf(nodes)
  for (const end = performance.now() + settleMaxMs; performance.now() < end; ) {
    const found = (await nodesSeen(api)) ?? []
    const held = found.flatMap(({ partitions }) => partitions)
    const isShared = found.filter(({ partitions }) => partitions.length > 0).length === nodes.length
    const derived = found.reduce((sum, { accountShare }) => sum + accountShare, 0)
    if (isShared && held.length === packetPartitions && derived === 1) return
    await delay(pollMs, undefined, { signal })
  }
  throw new Error('the nodes did not share the partitions in time')
}

async function measure(
  scene: Scene,
  fleet: Fleet,
  nodes: readonly Server[],
  count: number,
): Promise<Measured> {
  const { options, folder, database, nats, ledger, say, signal } = scene
  await using balancer: Balancer = await openBalancer(folder, nodes.map(behind))
  await using connections = await routesOf(fleet, balancer)
  say(
    `${count === 0 ? 'one node without NATS' : `${count} with NATS`}: ${options.seconds} s as fast as it is acknowledged`,
  )
  await closedLoop(connections.routes, ledger, warmUpSeconds, signal)
  const api = count === 0 ? null : await apiOf(nodes)
  await caughtUp(scene, api)
  const costs = watchCosts({
    platform: nodes.map(({ pid }) => pid),
    database: [database.pid ?? 0],
    nats: count === 0 ? [] : nats.pids,
    balancer: [balancer.pid],
  })
  const phase = await closedLoop(connections.routes, ledger, options.seconds, signal)
  if (phase.acknowledged < phase.sent)
    throw new Error(`${phase.sent - phase.acknowledged} of ${phase.sent} uplinks were not acknowledged`)
  const waiting = api && (await waitingOf(api))
  const after = await caughtUp(scene, api)
  const measured = { nodes: count, phase, waiting, ...after, costs: costs() }
  say(oneLine(measured))
  return measured
}

/** Waits until everything is stored and rules have seen it. */
async function caughtUp(
  { client, signal }: Scene,
  api: Api | null,
): Promise<Pick<Measured, 'storedMs' | 'behindMs'>> {
  const from = performance.now()
  while (api !== null && (await waitingOf(api)) !== 0) {
    if (performance.now() - from > settleMaxMs) throw new Error('the nodes do not keep up')
    await delay(pollMs, undefined, { signal })
  }
  const storedMs = performance.now() - from
  if ((await followUp(client, signal)) === null) throw new Error('rules do not keep up')
  return { storedMs, behindMs: performance.now() - from }
}
