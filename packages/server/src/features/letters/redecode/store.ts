import type { PacketFault } from '@leitstand/contract/errors'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import { setLastErrors } from '../../devices/index.ts'
import type { StoredPacket } from '../../ingest/index.ts'
import { packetsOf } from '../../objects/index.ts'

const columns = sql`
  p.id, p.received_at as "receivedAt", p.time, p.device_id as "deviceId", p.f_port as "fPort", p.f_cnt as "fCnt",
  p.payload, p.encoding, p.meta, p.variables, p.error, p.driver_id as "driverId", p.driver_version as "driverVersion"`

/** Selects packets of a device. */
export interface Period {
  from: Date
  to: Date
  errorsOnly: boolean
}

const inPeriod = ({ from, to, errorsOnly }: Period) => sql`
  p.received_at >= ${from} and p.received_at < ${to} ${errorsOnly ? sql`and p.error is not null` : sql``}`

const asked = ({ from, to, errorsOnly }: Period) => ({ since: from, before: to, errorsOnly })

/** A device whose packets are decoded again. */
export interface RedecodeDevice {
  id: number
  title: string
  accountId: number
  scopeId: number
}

/** Devices of these scopes, by id or by the driver they use; ordered by id. */
export async function findScopedDevices(
  db: Executor,
  scopeIds: readonly number[],
  by: { ids: readonly number[] } | { driverId: number },
  limit: number,
): Promise<RedecodeDevice[]> {
  const chosen = 'ids' in by ? sql`d.twin_id = any(${[...by.ids]}::int[])` : sql`d.driver_id = ${by.driverId}`
  const { rows } = await sql<RedecodeDevice>`
    select t.id, t.title, t.account_id as "accountId", t.scope_id as "scopeId"
    from virtual_devices d join twins t on t.id = d.twin_id
    where ${chosen} and t.scope_id = ${anyOf(scopeIds)}
    order by t.id limit ${limit}`.execute(db)
  return rows
}

/** Packets of the devices in the period, counted up to `max + 1`. */
export async function countPackets(
  db: Executor,
  deviceIds: readonly number[],
  period: Period,
  max: number,
): Promise<number> {
  const { from, to, errorsOnly } = period
  const { rows } = await sql<{ count: number }>`
    select least(${max + 1}::int, sum(counted.count))::int as count from (
      select count(*) as count from (
        select from packets p where p.device_id = ${anyOf(deviceIds)} and ${inPeriod(period)} limit ${max + 1}) as single
      union all
      select case when d.first_at >= ${from} and d.last_at < ${to} then ${errorsOnly ? sql`d.errors` : sql`d.count`}
        else (select count(*) from packets_of_day(d.packets) as p where ${inPeriod(period)}) end
      from packet_days d where d.device_id = ${anyOf(deviceIds)} and d.last_at >= ${from} and d.first_at < ${to}
        and d.first_at >= date_trunc('day', ${from}::timestamptz, 'UTC')) as counted`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * A sample of packets: the first one of each device in each stretch of the period.
 * @param stretches number of equal stretches of the period
 */
export async function samplePackets(
  db: Executor,
  deviceIds: readonly number[],
  period: Period,
  stretches: number,
  limit: number,
): Promise<StoredPacket[]> {
  const lengthMs = (period.to.getTime() - period.from.getTime()) / stretches
  const starts = Array.from({ length: stretches }, (_, n) => new Date(period.from.getTime() + n * lengthMs))
  const ends = starts.map((start) => new Date(start.getTime() + lengthMs))
  const { rows } = await sql<StoredPacket>`
    select s.* from unnest(${[...deviceIds]}::int[]) as device (id),
      unnest(${starts}::timestamptz[], ${ends}::timestamptz[]) as stretch (start_at, end_at),
      lateral (
        select ${columns} from ${packetsOf({
          device: sql`device.id`,
          since: sql`stretch.start_at`,
          before: sql`stretch.end_at`,
          errorsOnly: period.errorsOnly,
          order: 'asc',
          limit: 1,
        })} p) as s
    limit ${limit}`.execute(db)
  return rows
}

/** The newest packets of each device. */
export async function newestPackets(
  db: Executor,
  deviceIds: readonly number[],
  period: Period,
  each: number,
  limit: number,
): Promise<StoredPacket[]> {
  const { rows } = await sql<StoredPacket>`
    select s.* from unnest(${[...deviceIds]}::int[]) as device (id), lateral (
      select ${columns} from ${packetsOf({ device: sql`device.id`, ...asked(period), order: 'desc', limit: each })} p) as s
    limit ${limit}`.execute(db)
  return rows
}

/** Devices among these that have packets in the period, the first `limit`. */
export async function devicesWithPackets(
  db: Executor,
  deviceIds: readonly number[],
  period: Period,
  limit: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select d.id from unnest(${[...deviceIds]}::int[]) with ordinality as d (id, n)
    where exists (select from ${packetsOf({ device: sql`d.id`, ...asked(period), order: 'asc', limit: 1 })} p)
    order by d.n limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The next packets of a device, in the order of reception. */
export async function nextPackets(
  db: Executor,
  deviceId: number,
  period: Period,
  after: { receivedAt: Date; id: number } | null,
  limit: number,
): Promise<StoredPacket[]> {
  const beyond = after === null ? {} : { beyond: after }
  const source = packetsOf({ device: deviceId, ...asked(period), ...beyond, order: 'asc', limit })
  const { rows } = await sql<StoredPacket>`
    select ${columns} from ${source} p order by p.received_at, p.id`.execute(db)
  return rows
}

/** Sets the last error of devices to that of their newest packet. */
export async function renewLastErrors(tx: Executor, deviceIds: readonly number[]): Promise<void> {
  const { rows } = await sql<{ deviceId: number; error: PacketFault | null }>`
    select d.id as "deviceId", newest.error
    from unnest(${[...deviceIds]}::int[]) as d (id), lateral (
      select error from ${packetsOf({ device: sql`d.id`, order: 'desc', limit: 1 })} p) as newest`.execute(tx)
  await setLastErrors(tx, rows)
}

/** Stores aggregates to recompute after all packets of a job. */
export async function noteAggregates(
  tx: Executor,
  jobId: number,
  aggregates: readonly { stateId: number; start: Date; end: Date }[],
): Promise<void> {
  if (aggregates.length === 0) return
  await sql`
    insert into background_job_aggregates as a (job_id, state_id, start_at, end_at)
    select ${jobId}, w.state_id, w.start_at, w.end_at
    from unnest(${aggregates.map(({ stateId }) => stateId)}::int[],
      ${aggregates.map(({ start }) => start)}::timestamptz[], ${aggregates.map(({ end }) => end)}::timestamptz[])
      as w (state_id, start_at, end_at)
    join states s on s.id = w.state_id
    on conflict (job_id, state_id) do update
      set start_at = least(a.start_at, excluded.start_at), end_at = greatest(a.end_at, excluded.end_at)`.execute(
    tx,
  )
}

/** The first remaining aggregate; the same one until it is taken. */
export async function firstAggregate(
  db: Executor,
  jobId: number,
): Promise<{ stateId: number; start: Date; end: Date } | undefined> {
  const { rows } = await sql<{ stateId: number; start: Date; end: Date }>`
    select state_id as "stateId", start_at as start, end_at as "end" from background_job_aggregates
    where job_id = ${jobId} order by state_id limit 1`.execute(db)
  return rows[0]
}

/** Removes a recomputed aggregate from the list, in the transaction of its values. */
export async function takeAggregate(tx: Executor, jobId: number, stateId: number): Promise<void> {
  await sql`delete from background_job_aggregates where job_id = ${jobId} and state_id = ${stateId}`.execute(
    tx,
  )
}
