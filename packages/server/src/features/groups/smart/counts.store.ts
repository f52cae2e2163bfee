import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'

/** Hours and days kept of a device: the longest window and two months, and a little more. */
const hoursKept = 192
const daysKept = 64
/** Days from which the usual number is taken, and how many of them must have packets. */
const usualDays = 28
const usualDaysMin = 7
/** The most a place can hold. */
const placeMax = 2_147_483_647

/** Advisory lock of the packet clock: one transaction at a time across all processes. */
const packetLock = 7_211_041

/** Takes the lock for this transaction, or returns false when another one has it. */
export async function takePacketLead(tx: Executor): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${packetLock}) as taken`.execute(tx)
  return rows[0]?.taken ?? false
}

/** The hour up to which every device was read. */
export async function readRound(db: Executor): Promise<{ hour: number; since: Date }> {
  const { rows } = await sql<{ hour: number; since: Date }>`select hour, since from packet_rounds`.execute(db)
  const [round] = rows
  if (!round) throw new Error('the packet round is missing')
  return round
}

export async function endRound(tx: Executor, hour: number): Promise<void> {
  await sql`update packet_rounds set hour = ${hour} where hour < ${hour}`.execute(tx)
}

/**
 * Reads the counters of the next devices after an id and adds what came since they were read last to the hour in which
 * it came: that before `hour`, or earlier when the device was last seen earlier.
 * @returns the last device looked at; null: there are no more
 */
export async function countPackets(
  tx: Executor,
  hour: number,
  after: number,
  limit: number,
): Promise<number | null> {
  // Elements: k is how far the array moves on; places in between had no packets.
  const moved = (array: 'hours' | 'days', kept: number) => {
    const old = sql.ref(`s.old_${array}`)
    const steps = sql.ref(array === 'hours' ? 's.hour_steps' : 's.day_steps')
    return sql`case
      when ${steps} = 0 then array[least(coalesce(${old}[1], 0)::bigint + s.delta, ${placeMax})::int] || ${old}[2:${sql.lit(kept)}]
      when ${steps} >= ${sql.lit(kept)} then array[s.delta]
      else (array[s.delta] || array_fill(0, array[${steps} - 1]) || ${old})[1:${sql.lit(kept)}] end`
  }
  const { rows } = await sql<{ last: number | null }>`
    with looked as materialized (
      select l.twin_id, l.packets, l.last_seen, p.counted, p.taken, p.hour, p.hours, p.day, p.days, p.usual
      from device_live l left join device_packets p on p.twin_id = l.twin_id
      where l.twin_id > ${after} order by l.twin_id limit ${limit}),
    due as (
      select twin_id, packets, usual, coalesce(hours, '{}') as old_hours, coalesce(days, '{}') as old_days, hour as old_hour, day as old_day,
        least(greatest(packets - coalesce(counted, 0), 0), ${placeMax})::int as delta,
        greatest(coalesce(hour, 0), least(${hour}::int - 1, floor(extract(epoch from last_seen) / 3600)::int)) as hour
      from looked where packets <> coalesce(counted, 0) and coalesce(taken, -1) < ${hour}),
    s as (
      select *, hour / 24 as day, hour - coalesce(old_hour, hour) as hour_steps,
        hour / 24 - coalesce(old_day, hour / 24) as day_steps
      from due),
    written as (
      insert into device_packets (twin_id, counted, taken, hour, hours, day, days, usual)
      select s.twin_id, s.packets, ${hour}, s.hour, ${moved('hours', hoursKept)}, s.day, ${moved('days', daysKept)},
        case when s.day_steps > 0 then coalesce(
          (select avg(n) from unnest(s.old_days[1:${sql.lit(usualDays)}]) as n where n > 0 having count(*) >= ${usualDaysMin}),
          s.usual) else s.usual end
      from s
      on conflict (twin_id) do update set counted = excluded.counted, taken = excluded.taken, hour = excluded.hour,
        hours = excluded.hours, day = excluded.day, days = excluded.days, usual = excluded.usual)
    select max(twin_id) as last from looked`.execute(tx)
  return rows[0]?.last ?? null
}
