import type { Random } from '../random.ts'

/** What is done to several nodes and what is around them, while they are under load. */
export const nodeFaultKinds = [
  /** kill -9 of a node */
  'node-killed',
  /** kill -9 of the node that computes states and runs rules */
  'deriving-node-killed',
  /** SIGSTOP of a node, and SIGCONT after some seconds: others have taken over, or are about to */
  'node-stopped',
  /** kill -9 of one of the three servers of NATS; it comes back after some seconds */
  'nats-killed',
  /** the same of the one that leads the stream of packets */
  'nats-leader-killed',
  /** SIGSTOP of a server of NATS, and SIGCONT after some seconds */
  'nats-stopped',
  /** kill -9 of the database and all its processes */
  'database-killed',
  /** the network of a node: it still reaches the database, and nothing and nobody else */
  'node-cut-off',
  /** the network of a server of NATS */
  'nats-cut-off',
  /** a node and a server of NATS reach each other and the database, and nothing else */
  'network-split',
] as const
export type NodeFaultKind = (typeof nodeFaultKinds)[number]

/** How often a kind comes in a round of the plan. */
const shares: Record<NodeFaultKind, number> = {
  'node-killed': 3,
  'deriving-node-killed': 2,
  'node-stopped': 3,
  'nats-killed': 1,
  'nats-leader-killed': 2,
  'nats-stopped': 1,
  'database-killed': 2,
  'node-cut-off': 2,
  'nats-cut-off': 1,
  'network-split': 2,
}

/** Those for which each program needs a network of its own. */
const networkKinds: readonly NodeFaultKind[] = ['node-cut-off', 'nats-cut-off', 'network-split']

/**
 * The faults of a run in order: every kind once, then by their shares.
 * @param hasNetworks whether the machine lets us make networks
 */
export function planNodeFaults(random: Random, count: number, hasNetworks: boolean): NodeFaultKind[] {
  const kinds = nodeFaultKinds.filter((kind) => hasNetworks || !networkKinds.includes(kind))
  const plan = random.shuffled(kinds)
  while (plan.length < count)
    plan.push(...random.shuffled(kinds.flatMap((kind) => Array<NodeFaultKind>(shares[kind]).fill(kind))))
  return plan.slice(0, count)
}
