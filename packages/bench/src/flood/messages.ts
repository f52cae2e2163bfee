import type pg from 'pg'
import type { Protocol } from '../arguments.ts'
import type { Stored } from '../database.ts'
import type { Group } from '../fleet.ts'
import type { HostileTarget } from '../hostile/account.ts'
import type { Attacked } from '../hostile/attacks.ts'

/** Parameters of a flood. */
export interface Flood {
  name: string
  protocol: Protocol
  /** uplinks per second; null: as fast as acknowledged */
  rate: number | null
  /** null: as network servers have them */
  connections: number | null
}

/** Result of a flood. */
export interface Flooded {
  seconds: number
  sent: number
  acknowledged: number
  acknowledgedPerSecond: number
  cpuSeconds: number
}

/** Everything a hostile account can do, or transformers that loop and nothing else. */
export type AttackKind = 'everything' | 'looping'

/** Requests to the flooding process, which handles one at a time. */
export type Question =
  | {
      ask: 'prepare'
      groups: (Pick<Group, 'protocol' | 'devices' | 'mqtt' | 'http'> & { accountId: number })[]
    }
  | { ask: 'open'; flood: Flood }
  | { ask: 'run'; flood: Flood; seconds: number }
  | { ask: 'close' }
  | { ask: 'attack'; target: HostileTarget; kind: AttackKind; seconds: number }
  | { ask: 'count'; database: pg.ClientConfig }

export type Answer =
  | { error: string }
  | { flooded: Flooded }
  | { attacked: Attacked; cpuSeconds: number }
  | { counted: Stored }
  | { done: true }
