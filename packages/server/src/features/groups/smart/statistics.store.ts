import {
  type GroupDeviceStatistics,
  groupDriversMax,
  type PacketMonitoring,
  packetDays,
  packetHours,
} from '@leitstand/contract/smartGroups'
import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'

/** The devices of a group as parts of a query, see `members.ts`. */
export interface Members {
  id: RawBuilder<unknown>
  from: RawBuilder<unknown>
  where: RawBuilder<boolean>
}

export const hourMs = 3_600_000
const hoursOfDay = 24

/** The hour since 1970. */
export const hourOf = (time: Date): number => Math.floor(time.getTime() / hourMs)

/** What a device should send in a day; null: nothing is known of it. Needs devices. */
export function expectedPerDay(monitoring: PacketMonitoring | null): RawBuilder<number | null> {
  switch (monitoring?.expected) {
    case 'number':
      return sql<number>`${monitoring.packetsPerDay}::real`
    case 'driver':
      return sql<number | null>`(
        select (r.specs ->> 'packetsPerDay')::real from drivers r
        where r.id = d.driver_id and jsonb_typeof(r.specs -> 'packetsPerDay') = 'number')`
    default:
      return sql<number | null>`p.usual`
  }
}

/** Packets of a device since the beginning of an hour, those not yet read from its counter included. */
export function receivedSince(hour: number): RawBuilder<number> {
  return sql<number>`(
    coalesce((select sum(n) from unnest(p.hours[1:p.hour - ${hour}::int + 1]) as n), 0)
    + l.packets - coalesce(p.counted, 0))`
}

/** Counts of the devices of a group; needs twins, devices and their live rows. */
export async function countMembers(db: Executor, { from, where }: Members): Promise<GroupDeviceStatistics> {
  // Few different combinations, each counted once.
  const { rows } = await sql<Omit<GroupDeviceStatistics, 'devices'>>`
    with alike as materialized (
      select t.disabled, l.health, d.operational_status as status, d.driver_id, count(*) as count,
        count(*) filter (where l.last_seen is null) as never
      from ${from} where ${where} group by t.disabled, l.health, d.operational_status, d.driver_id)
    select
      coalesce((select sum(count) filter (where disabled) from alike), 0)::int as disabled,
      coalesce((select sum(never) from alike), 0)::int as "neverSeen",
      (select coalesce(jsonb_agg(x order by health), '[]') from (
        select health, sum(count)::int as count from alike group by health) as x) as "byHealth",
      (select coalesce(jsonb_agg(x order by status), '[]') from (
        select status, sum(count)::int as count from alike group by status) as x) as "byOperationalStatus",
      (select coalesce(jsonb_agg(x order by count desc, "driverId"), '[]') from (
        select a.driver_id as "driverId", r.title, sum(a.count)::int as count
        from alike a left join drivers r on r.id = a.driver_id
        group by a.driver_id, r.title order by count desc, a.driver_id limit ${groupDriversMax}) as x) as "byDriver"`.execute(
    db,
  )
  const counts = rows[0] ?? { disabled: 0, neverSeen: 0, byHealth: [], byOperationalStatus: [], byDriver: [] }
  return { devices: counts.byHealth.reduce((sum, { count }) => sum + count, 0), ...counts }
}

export interface PacketSums {
  devices: number
  active: number
  received: number
  expected: number | null
  /** oldest first */
  hours: number[]
  days: number[]
  since: Date
}

/**
 * Sums over the devices of a group: two passes over their rows side by side, none over packets. Needs devices and live rows.
 * @param asked.windowHours whole hours of the window, for which packets are expected
 */
export async function sumPackets(
  db: Executor,
  { id, from, where }: Members,
  asked: { now: Date; windowHours: number; monitoring: PacketMonitoring | null },
): Promise<PacketSums> {
  const { now, windowHours, monitoring } = asked
  const hour = hourOf(now)
  const day = Math.floor(hour / hoursOfDay)
  const isShort = windowHours <= packetHours
  // One subquery per device takes as long as many columns.
  const received = isShort ? sql`0` : receivedSince(hour - windowHours)
  const devices = sql`${from} left join device_packets p on p.twin_id = ${id} where ${where}`
  const [counted, [hours, days]] = await Promise.all([
    sql<Omit<PacketSums, 'hours' | 'days'> & { pending: number }>`
      select count(*)::int as devices,
        (count(*) filter (where l.last_seen >= ${new Date(now.getTime() - hoursOfDay * hourMs)}))::int as active,
        coalesce(sum(l.packets - coalesce(p.counted, 0)), 0)::float8 as pending,
        coalesce(sum(${received}), 0)::float8 as received,
        (sum(${expectedPerDay(monitoring)}) * ${windowHours}::int / ${hoursOfDay}::int)::float8 as expected,
        (select since from packet_rounds) as since
      from ${devices}`.execute(db),
    sumsOf(db, devices, [
      { array: 'hours', newest: 'hour', last: hour, count: packetHours + 1 },
      { array: 'days', newest: 'day', last: day, count: packetDays },
    ]),
  ])
  const [sums] = counted.rows
  if (!sums) throw new Error('no sums')
  const { pending, ...rest } = sums
  // What was not read yet came in this hour.
  const withPending = (numbers: readonly number[]) => numbers.with(-1, (numbers.at(-1) ?? 0) + pending)
  const allHours = withPending(hours)
  const inWindow = allHours.slice(-windowHours - 1).reduce((sum, packets) => sum + packets, 0)
  return {
    ...rest,
    received: isShort ? inWindow : sums.received,
    hours: allHours.slice(-packetHours),
    days: withPending(days),
  }
}

interface Series {
  array: 'hours' | 'days'
  newest: 'hour' | 'day'
  /** the hour or day the sums end with */
  last: number
  count: number
}

/**
 * Sums of the last hours and days, oldest first. Devices whose arrays begin at the same time are summed place by place, which
 * takes half as long as finding each place of each device.
 */
async function sumsOf(
  db: Executor,
  devices: RawBuilder<unknown>,
  series: readonly [Series, Series],
): Promise<[number[], number[]]> {
  const sums = series.map(({ array, count }) => {
    const places = Array.from({ length: count }, (_, index) => {
      return sql`coalesce(sum(${sql.ref(`p.${array}`)}[${sql.lit(index + 1)}]), 0)`
    })
    return sql`array[${sql.join(places)}]::float8[]`
  })
  const [{ last: hour, count: hoursWanted }, { last: day, count: daysWanted }] = series
  // Older ones are alike, so that few groups are left whatever the devices have sent last.
  const newest = sql`greatest(p.hour, ${sql.lit(hour - hoursWanted)})`
  const { rows } = await sql<{ newest: number[]; hours: number[]; days: number[] }>`
    select array[${newest}, p.day] as newest, ${sums[0]} as hours, ${sums[1]} as days
    from ${devices} and p.day > ${day - daysWanted} group by ${newest}, p.day`.execute(db)
  const [hours, days] = series.map(({ array, last, count }, index) => {
    const total = new Array<number>(count).fill(0)
    for (const row of rows)
      for (const [ago, packets] of row[array].entries()) {
        const place = count - 1 - (last - (row.newest[index] ?? 0)) - ago
        if (place in total) total[place] = (total[place] ?? 0) + packets
      }
    return total
  })
  return [hours ?? [], days ?? []]
}

/** How many devices of a group, of those that may be seen, are below its threshold. */
export async function countLow(db: Executor, groupId: number, { id, from, where }: Members): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${from} join smart_group_lows w on w.twin_id = ${id} and w.group_id = ${groupId}
    where ${where}`.execute(db)
  return rows[0]?.count ?? 0
}

export interface LowRow {
  id: number
  title: string
  externalId: string
  received: number
  expected: number
  windowHours: number
  since: Date
}

/** A page of the devices below the threshold, those with the smallest share first. Needs twins and devices. */
export async function listLow(
  db: Executor,
  groupId: number,
  { id, from, where }: Members,
  { offset, limit }: { offset: number; limit: number },
): Promise<LowRow[]> {
  const { rows } = await sql<LowRow>`
    select t.id, t.title, d.external_id as "externalId", w.received::float8 as received,
      (w.expected * w.window_hours / ${hoursOfDay}::int)::float8 as expected, w.window_hours as "windowHours", w.since
    from ${from} join smart_group_lows w on w.twin_id = ${id} and w.group_id = ${groupId}
    where ${where} order by w.received / nullif(w.expected, 0), w.since, t.id limit ${limit} offset ${offset}`.execute(
    db,
  )
  return rows
}
