import { type DeviceGrowth, growthSeriesMax } from '@leitstand/contract/virtualdevices'
import { sql } from 'kysely'
import { accountsBelow } from '../../../platform/db/accountTree.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { viewOf } from '../../objects/index.ts'
import { ints } from '../../twins/index.ts'
import { partsOf } from './tables.ts'

/** Counts for the header of the list. */
export async function countDevices(
  db: Executor,
  scopeIds: readonly number[],
  accountIds: readonly number[] | undefined,
): Promise<{
  total: number
  neverSeen: number
  byHealth: { health: number; count: number }[]
  byConnector: { connectorId: number; name: string; count: number }[]
}> {
  const live = partsOf({ scopeIds, accountIds, held: [] }, ['live'])
  const device = partsOf({ scopeIds, accountIds, held: [] }, ['device'])
  const health = sql<{ health: number; count: number; never: number }>`
    select l.health, count(*) as count, count(*) filter (where l.last_seen is null) as never
    from ${live.from} where ${live.where} group by l.health order by l.health`.execute(db)
  const connectors = sql<{ connectorId: number; name: string; count: number }>`
    select c.id as "connectorId", c.name, n.count from (
      select d.connector_id, count(*) as count from ${device.from} where ${device.where}
      group by d.connector_id) as n
    join ${viewOf('connectors')} c on c.id = n.connector_id
    order by n.count desc, c.name limit 1000`.execute(db)
  const [levels, networks] = await Promise.all([health, connectors])
  return {
    total: levels.rows.reduce((sum, { count }) => sum + count, 0),
    neverSeen: levels.rows.reduce((sum, { never }) => sum + never, 0),
    byHealth: levels.rows.map(({ health: level, count }) => ({ health: level, count })),
    byConnector: networks.rows,
  }
}

/** Whether any of the scopes belongs to the account. */
export async function hasScopeIn(
  db: Executor,
  scopeIds: readonly number[],
  accountId: number,
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from scopes where account_id = ${accountId} and id = any(${ints(scopeIds)})) as found`.execute(
    db,
  )
  return rows[0]?.found ?? false
}

/** Devices added in a step, by connector or account; step 0 contains those that existed at the start. */
interface Arrival {
  kind: 'connector' | 'account'
  id: number
  name: string
  step: number
  count: number
}

/** Growth of the number of existing devices in equal steps. */
export async function readGrowth(
  db: Executor,
  scopeIds: readonly number[],
  accountIds: readonly number[] | undefined,
  { start, end, steps }: { start: Date; end: Date; steps: number },
): Promise<DeviceGrowth> {
  const stepMs = (end.getTime() - start.getTime()) / steps
  const times = Array.from({ length: steps + 1 }, (_, step) =>
    new Date(Math.round(start.getTime() + step * stepMs)).toISOString(),
  )
  const { from, where } = partsOf({ scopeIds, accountIds, held: [] }, ['device'])
  const { rows } = await sql<Omit<Arrival, 'kind'> & { kind: Arrival['kind'] | 'total' }>`
    with arrivals as materialized (
      select d.account_id, d.connector_id, count(*) as count, width_bucket(d.created_at, (
          select array_agg(time + interval '1 microsecond' order by time) from unnest(${times}::timestamptz[]) as time
        )) as step
      from ${from} where ${where} and d.created_at <= ${end}
      group by d.account_id, d.connector_id, step),
    connectors_shown as (
      select connector_id from arrivals group by connector_id order by sum(count) desc, connector_id
      limit ${growthSeriesMax}),
    accounts_shown as (
      select account_id from arrivals group by account_id order by sum(count) desc, account_id
      limit ${growthSeriesMax})
    select 'total' as kind, 0 as id, '' as name, step, sum(count)::int as count from arrivals group by step
    union all
    select 'connector', a.connector_id, c.name, a.step, sum(a.count)::int
    from arrivals a join connectors_shown using (connector_id) join ${viewOf('connectors')} c on c.id = a.connector_id
    group by a.connector_id, c.name, a.step
    union all
    select 'account', a.account_id, c.name, a.step, sum(a.count)::int
    from arrivals a join accounts_shown using (account_id) join accounts c on c.id = a.account_id
    group by a.account_id, c.name, a.step`.execute(db)
  const series = (kind: string) =>
    [
      ...Map.groupBy(
        rows.filter((row) => row.kind === kind),
        ({ id }) => id,
      ),
    ]
      .map(([id, arrivals]) => ({
        id,
        name: arrivals[0]?.name ?? '',
        counts: runningTotals(arrivals, steps),
      }))
      .toSorted((one, other) => (other.counts.at(-1) ?? 0) - (one.counts.at(-1) ?? 0) || one.id - other.id)
  return {
    times,
    total: series('total')[0]?.counts ?? runningTotals([], steps),
    byConnector: series('connector').map(({ id, ...rest }) => ({ connectorId: id, ...rest })),
    byAccount: series('account').map(({ id, ...rest }) => ({ accountId: id, ...rest })),
  }
}

function runningTotals(arrivals: readonly { step: number; count: number }[], steps: number): number[] {
  const came = new Array<number>(steps + 1).fill(0)
  for (const { step, count } of arrivals)
    came[Math.min(step, steps)] = (came[Math.min(step, steps)] ?? 0) + count
  let sum = 0
  return came.map((count) => (sum += count))
}

/** Number of virtual devices of an account and its descendants. */
export async function countInAccount(db: Executor, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from twins
    where category = 'virtualDevice' and account_id in (select id from ${accountsBelow(accountId)} below)`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}
