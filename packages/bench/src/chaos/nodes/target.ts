import { setTimeout as delay } from 'node:timers/promises'
import type { Api } from '../../client.ts'
import type { SharedDatabase } from '../../cluster/database.ts'
import type { NatsServer, NatsServers } from '../../cluster/natsServers.ts'
import type { Network } from '../../cluster/network.ts'
import { nodesSeen, waitingOf } from '../../cluster/waiting.ts'
import type { Target } from '../faults.ts'
import { descendantsOf, listProcesses, signalTo } from '../procfs.ts'
import type { Random } from '../random.ts'
import type { Supervisor } from '../supervisor.ts'
import type { NodeFaultKind } from './plan.ts'

/** How long nodes are stopped: some are taken for dead before they go on, others are not. */
const stoppedMs = [1_000, 8_000] as const
const natsDownMs = [500, 5_000] as const
const databaseDownMs = [200, 2_000] as const
/** How long a network is cut: some are taken for dead before they are back, others are not. */
const cutMs = [1_000, 12_000] as const
/** A server of NATS that was away copies what it has missed. */
const natsHealthyMaxMs = 60_000
const pollMs = 100

export interface Node {
  name: string
  supervisor: Supervisor
}

interface Scene {
  nodes: readonly Node[]
  nats: NatsServers
  database: SharedDatabase
  /** null: all on the network of the machine, which is not cut */
  network: Network | null
  /** through the balancer */
  api: Api
  random: Random
  signal: AbortSignal
}

/** Several nodes with what is around them. */
export function nodesTarget(scene: Scene): Target<NodeFaultKind> {
  const { nodes, database } = scene
  const sum = (of: (supervisor: Supervisor) => number) =>
    nodes.reduce((total, { supervisor }) => total + of(supervisor), 0)
  return {
    get database() {
      return database.config
    },
    get starts() {
      return sum(({ starts }) => starts)
    },
    get ends() {
      return sum(({ ends }) => ends)
    },
    inject: (kind) => inject(kind, scene),
    isEmpty: async () => (await waitingOf(scene.api)) === 0,
    processes: () => {
      const all = listProcesses()
      return nodes.flatMap(({ supervisor: { pid } }) => (pid === null ? [] : descendantsOf(pid, all)))
    },
    tail: () => nodes.map(({ name, supervisor }) => `${name}: ${supervisor.tail()}`).join('\n'),
    stop: async (before) => {
      await Promise.all(nodes.map(({ supervisor }) => supervisor.stop([])))
      // What was left by any of them.
      return (await nodes[0]?.supervisor.stop(before)) ?? []
    },
  }
}

async function inject(kind: NodeFaultKind, scene: Scene): Promise<string> {
  const { nodes, nats, database, random, signal } = scene
  const pause = ([min, max]: readonly [number, number]) => {
    const ms = random.whole(min, max)
    return delay(ms, ms, { signal })
  }
  switch (kind) {
    case 'node-killed':
      return killNode(random.pick(nodes))
    case 'deriving-node-killed': {
      const name = await derivingNode(scene)
      return killNode(nodes.find((node) => node.name === name))
    }
    case 'node-stopped': {
      const node = random.pick(nodes)
      node?.supervisor.kill('SIGSTOP')
      const ms = await pause(stoppedMs)
      node?.supervisor.kill('SIGCONT')
      return `${node?.name}, ${ms} ms`
    }
    case 'nats-killed':
      return crash(random.pick(nats.servers), scene, pause)
    case 'nats-leader-killed':
      return crash(await nats.leader(), scene, pause)
    case 'nats-stopped': {
      const server = random.pick(nats.servers)
      server?.kill('SIGSTOP')
      const ms = await pause(natsDownMs)
      server?.kill('SIGCONT')
      await healthy(scene)
      return `${server?.name}, ${ms} ms`
    }
    case 'database-killed': {
      const count = await database.crash()
      const ms = await pause(databaseDownMs)
      await database.up()
      return `${count} processes, ${ms} ms`
    }
    case 'node-cut-off':
      return cut([random.pick(nodes)?.name], scene, pause)
    case 'nats-cut-off':
      return cut([random.pick(nats.servers)?.name], scene, pause)
    case 'network-split':
      return cut([random.pick(nodes)?.name, random.pick(nats.servers)?.name], scene, pause)
  }
}

async function cut(
  names: (string | undefined)[],
  scene: Scene,
  pause: (range: readonly [number, number]) => Promise<number>,
): Promise<string> {
  const { network } = scene
  if (network === null) throw new Error('there is no network to cut')
  const apart = names.filter((name) => name !== undefined)
  await network.part(apart)
  const ms = await pause(cutMs)
  await network.join()
  await healthy(scene)
  return `${apart.join(' and ')}, ${ms} ms`
}

async function killNode(node: Node | undefined): Promise<string> {
  const pid = node?.supervisor.pid
  if (node === undefined || pid === null || pid === undefined) return 'no node'
  signalTo(pid, 'SIGKILL')
  await node.supervisor.restarted(pid)
  return `${node.name} ${pid}`
}

async function derivingNode({ api, signal }: Scene): Promise<string | undefined> {
  for (;;) {
    const nodes = await nodesSeen(api)
    if (nodes !== null) return nodes.find(({ accountShare }) => accountShare > 0)?.name
    await delay(pollMs, undefined, { signal })
  }
}

async function crash(
  server: NatsServer | undefined,
  scene: Scene,
  pause: (range: readonly [number, number]) => Promise<number>,
): Promise<string> {
  if (server === undefined) return 'no server'
  await server.crash()
  const ms = await pause(natsDownMs)
  server.up()
  await healthy(scene)
  return `${server.name}, ${ms} ms`
}

/** Two servers away at once are one more than three can do without. */
async function healthy({ nats, signal }: Scene): Promise<void> {
  const end = performance.now() + natsHealthyMaxMs
  while (!(await nats.isHealthy())) {
    if (performance.now() > end) throw new Error('a server of NATS does not catch up')
    await delay(pollMs, undefined, { signal })
  }
}
