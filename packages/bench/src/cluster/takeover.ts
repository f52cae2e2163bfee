import { setTimeout as delay } from 'node:timers/promises'
import { packetPartitions } from '@leitstand/contract/nodes'
import type pg from 'pg'
import { lineOf } from '../chaos/city.ts'
import { Load } from '../chaos/load.ts'
import { type Api, createApi } from '../client.ts'
import { countStored, type Stored } from '../database.ts'
import { buildFleet } from '../fleet.ts'
import type { Balancer } from './balancer.ts'

const devices = 128
const rate = 256
/** Before the kill, so that every partition is busy. */
const steadyMs = 3_000
const patienceMs = 60_000
const pollMs = 20

/** A node died under load. */
export interface Takeover {
  /** until other nodes had all its partitions */
  partitionsMs: number
  /** until everything that was acknowledged before was stored */
  gapMs: number
  /** until an uplink was stored of every device that was sent after */
  devicesMs: number
  stored: Stored
  sent: number
  acknowledged: number
}

interface Tools {
  api: Api
  /** a node that stays */
  staysUrl: string
  token: string
  balancer: Balancer
  database: pg.Client
  /** name of the node that dies */
  victim: string
  kill(): void
  signal: AbortSignal
}

/** Kills a node while devices send through the balancer, which reconnect and send again what was not acknowledged. */
export async function takeOver(tools: Tools): Promise<Takeover> {
  const { api, balancer, database, signal } = tools
  const fleet = await buildFleet(api, balancer, { protocols: ['mqtt'], devices }, signal)
  const [group] = fleet.groups
  if (group === undefined) throw new Error('a fleet has a group for each protocol')
  const line = lineOf(group, 0)
  const load = new Load([line], rate)
  try {
    await load.greet(patienceMs, signal)
    load.start()
    await delay(steadyMs, undefined, { signal })
    const before = load.entries.filter(({ isAcknowledged }) => isAcknowledged).map(({ sequence }) => sequence)
    const from = performance.now()
    const since = load.entries.length
    tools.kill()
    const stays = createApi(tools.staysUrl, tools.token)
    const [partitionsMs, gapMs, devicesMs] = await Promise.all([
      until(from, signal, () => areTaken(stays, tools.victim)),
      until(from, signal, () => areStored(database, fleet.accountId, before)),
      until(from, signal, () => haveAllSent(database, fleet.accountId, since)),
    ])
    const unfinished = await load.pause(patienceMs, signal)
    if (unfinished > 0) throw new Error(`${unfinished} uplinks were never acknowledged`)
    const sent = load.entries.length
    const ledger = { sent, isAcknowledged: (at: number) => load.entries[at - 1]?.isAcknowledged ?? false }
    const acknowledged = load.acknowledged
    await until(
      performance.now(),
      signal,
      async () => (await storedOf(database, fleet.accountId)) >= acknowledged,
    )
    const stored = await countStored(database, fleet.accountId, ledger)
    return { partitionsMs, gapMs, devicesMs, stored, sent, acknowledged }
  } finally {
    load.stop()
  }
}

/** @returns ms from `from` until it was true */
async function until(from: number, signal: AbortSignal, isTrue: () => Promise<boolean>): Promise<number> {
  while (!(await isTrue())) {
    if (performance.now() - from > patienceMs) throw new Error('no other node has taken over in time')
    await delay(pollMs, undefined, { signal })
  }
  return performance.now() - from
}

async function areTaken(api: Api, victim: string): Promise<boolean> {
  const { nodes } = await api.nodes.list()
  const held = nodes
    .filter(({ name, isAlive }) => isAlive && name !== victim)
    .flatMap(({ partitions }) => partitions)
  return new Set(held).size === packetPartitions
}

const sequence = `(variables->>'co2')::bigint * 65536 + (variables->>'illuminance')::bigint`

async function areStored(client: pg.Client, accountId: number, wanted: readonly number[]): Promise<boolean> {
  const { rows } = await client.query<{ missing: boolean }>(
    `select exists (select unnest($2::bigint[]) except select ${sequence} from packets where account_id = $1) as missing`,
    [accountId, wanted],
  )
  return rows[0]?.missing === false
}

async function haveAllSent(client: pg.Client, accountId: number, since: number): Promise<boolean> {
  const { rows } = await client.query<{ count: string }>(
    `select count(distinct device_id) as count from packets where account_id = $1 and ${sequence} > $2`,
    [accountId, since],
  )
  return Number(rows[0]?.count) === devices
}

async function storedOf(client: pg.Client, accountId: number): Promise<number> {
  const { rows } = await client.query<{ count: string }>(
    'select count(*) as count from packets where account_id = $1',
    [accountId],
  )
  return Number(rows[0]?.count)
}
