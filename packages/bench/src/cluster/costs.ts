import { cpuSecondsOf } from '../processes.ts'

/** Who takes part in a phase, by process; descendants count too. */
export interface Parties {
  platform: readonly number[]
  database: readonly number[]
  nats: readonly number[]
  balancer: readonly number[]
}

/** Processor seconds by party; null if the system does not report it. */
export type Costs = Record<keyof Parties | 'generator', number | null>

/** Watches the processes from now on. @returns what they have taken since */
export function watchCosts(parties: Parties): () => Costs {
  const before = read(parties)
  return () => {
    const now = read(parties)
    const since = (name: keyof Costs) => {
      const [from, until] = [before[name], now[name]]
      return from === null || until === null ? null : until - from
    }
    return {
      platform: since('platform'),
      database: since('database'),
      nats: since('nats'),
      balancer: since('balancer'),
      generator: since('generator'),
    }
  }
}

function read({ platform, database, nats, balancer }: Parties): Costs {
  const { user, system } = process.cpuUsage()
  return {
    platform: sum(platform),
    database: sum(database),
    nats: sum(nats),
    balancer: sum(balancer),
    generator: (user + system) / 1e6,
  }
}

function sum(pids: readonly number[]): number | null {
  return pids.reduce<number | null>((total, pid) => {
    const own = cpuSecondsOf(pid, null)
    return total === null || own === null ? null : total + own
  }, 0)
}
