import type { Random } from './random.ts'

/** What is done to the platform while it is under load. */
export const faultKinds = [
  /** kill -9 of the server */
  'server-killed',
  /** the same, and once more while it starts */
  'server-killed-twice',
  /** kill -9 of one backend of the database: its postmaster then ends all of them and recovers */
  'backend-killed',
  /** kill -9 of the postmaster alone */
  'postmaster-killed',
  /** kill -9 of the postmaster and all its processes */
  'database-killed',
  /** kill -9 of server, sandboxes and database at once, as in a power failure */
  'all-killed',
  /** kill -9 of one process of the script sandbox */
  'sandbox-killed',
  /** SIGSTOP of one process of the script sandbox, for good */
  'sandbox-stopped',
  /** all connections of the load are closed by their clients */
  'sockets-closed',
  /** all connections of the load are reset in both directions */
  'sockets-reset',
  /** the disk with the data is full, for a while */
  'disk-full',
  /** SIGSTOP of the server, and SIGCONT after a while */
  'server-stopped',
] as const
export type FaultKind = (typeof faultKinds)[number]

/** How often a kind comes in a round of the plan. */
const shares: Record<FaultKind, number> = {
  'server-killed': 4,
  'server-killed-twice': 1,
  'all-killed': 1,
  'backend-killed': 3,
  'postmaster-killed': 1,
  'database-killed': 2,
  'sandbox-killed': 2,
  'sandbox-stopped': 1,
  'sockets-closed': 1,
  'sockets-reset': 2,
  'disk-full': 1,
  'server-stopped': 1,
}

/**
 * The faults of a run in order. Every kind occurs once before any repeats, so that a short run covers them
 * all; after that by their shares.
 */
export function planFaults(random: Random, count: number): FaultKind[] {
  const plan = random.shuffled(faultKinds)
  while (plan.length < count)
    plan.push(...random.shuffled(faultKinds.flatMap((kind) => Array<FaultKind>(shares[kind]).fill(kind))))
  return plan.slice(0, count)
}
