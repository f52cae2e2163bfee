import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createApi } from '../../client.ts'
import { openBalancer } from '../../cluster/balancer.ts'
import { SharedDatabase } from '../../cluster/database.ts'
import { NatsServers, natsNames } from '../../cluster/natsServers.ts'
import { here, measuredNetwork, Network, type Place } from '../../cluster/network.ts'
import { admin, temporaryFolder } from '../../platform.ts'
import type { Report, Say } from '../../subjects/report.ts'
import { Audit } from '../audit.ts'
import { buildCity } from '../city.ts'
import { openForeignBroker } from '../foreignBroker.ts'
import { attack } from '../index.ts'
import { Load } from '../load.ts'
import { openMailServer } from '../mailServer.ts'
import { hasProcfs } from '../procfs.ts'
import { Random } from '../random.ts'
import { logFileOf, Supervisor } from '../supervisor.ts'
import type { NodeFaultKind } from './plan.ts'
import { type Node, nodesTarget } from './target.ts'

export interface NodesChaosOptions {
  nodes: number
  /** whether each program gets a network of its own, which some faults need */
  hasNetworks: boolean
  /** the faults in their order */
  kinds: readonly NodeFaultKind[]
  /** random seed of the run */
  seed: number
  /** simulated devices of all connectors together */
  devices: number
  /** uplinks per second of all devices together */
  rate: number
  /** load between two faults, at most */
  betweenMs: number
}

const startTimeoutMs = 120_000
const greetMaxMs = 90_000
const pollMs = 100

/**
 * The crash matrix on several nodes behind a balancer, with three servers of NATS.
 * @throws when the nodes could not even be set up
 */
export async function nodesChaos(options: NodesChaosOptions, say: Say, signal: AbortSignal): Promise<Report> {
  if (!hasProcfs) throw new Error('the crash matrix needs a system with /proc: it kills single processes')
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(temporaryFolder()).path
  const database = opened.use(await SharedDatabase.start(folder))
  const network = options.hasNetworks ? opened.use(await Network.open()) : null
  const nodeNames = Array.from({ length: options.nodes }, (_, at) => `node${at + 1}`)
  const places = new Map<string, Place>()
  for (const name of [...natsNames, ...nodeNames]) places.set(name, (await network?.place(name)) ?? here)
  const placeOf = (name: string) => places.get(name) ?? here
  const ourHost = network?.host ?? here.host
  const nats = opened.use(await NatsServers.start(folder, placeOf, signal))
  const mailServer = opened.use(await openMailServer(ourHost))
  const common = {
    DATABASE_URL: database.url,
    LEITSTAND_SECRET: randomBytes(33).toString('base64'),
    NATS_URL: nats.url,
    ALLOWED_NETWORKS: `127.0.0.0/8,${measuredNetwork}`,
  }
  const nodes: Node[] = []
  for (const name of nodeNames) {
    say(`starting ${name}`)
    const supervisor = await Supervisor.open({
      dataDir: join(folder, name),
      logFile: `${logFileOf(folder)}.${name}`,
      smtpUrl: mailServer.url,
      settings: { ...common, NODE_NAME: name },
      place: placeOf(name),
      signal,
    })
    opened.use(supervisor)
    nodes.push({ name, supervisor })
    if (!(await supervisor.ready(startTimeoutMs)))
      throw new Error(`${name} was not ready in time: ${supervisor.tail()}`)
  }
  const behind = nodes.map(({ name, supervisor: { port, mqttPort } }) => ({
    host: placeOf(name).host,
    port,
    mqttPort,
  }))
  const balancer = opened.use(await openBalancer(folder, behind))
  const foreign = await openForeignBroker(folder, ourHost)
  if (foreign) opened.use(foreign)

  say(`making ${options.devices} devices; seed ${options.seed}`)
  const { token } = await createApi(balancer.url).auth.login(admin)
  const api = createApi(balancer.url, token)
  while ((await api.nodes.list()).nodes.reduce((sum, { accountShare }) => sum + accountShare, 0) < 1)
    await delay(pollMs, undefined, { signal })
  const doors = { http: { port: balancer.port }, mqtt: { port: balancer.mqttPort }, foreign }
  const city = opened.use(await buildCity(api, doors, options.devices, signal))
  const load = new Load(city.lines, options.rate)
  opened.defer(() => load.stop())
  await load.greet(greetMaxMs, signal)
  const random = new Random(options.seed)
  const report = await attack({
    options,
    kinds: options.kinds,
    target: nodesTarget({ nodes, nats, database, network, api, random, signal }),
    random,
    city,
    load,
    audit: new Audit(city, load),
    mailServer,
    api,
    say,
    signal,
  })
  return { ...report, json: { ...report.json, nodes: options.nodes } }
}
