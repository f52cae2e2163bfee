import { PacketMonitoring, SmartGroupFilter } from '@leitstand/contract/smartGroups'
import { type RawBuilder, sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import type { ThresholdChanged } from '../../../topics/thresholdChanged.ts'
import { expectedPerDay, type Members, receivedSince } from './statistics.store.ts'

/** A group whose packets are watched. */
export interface WatchedGroup {
  id: number
  title: string
  accountId: number
  filter: SmartGroupFilter
  monitoring: PacketMonitoring
  version: number
}

interface Stored extends Omit<WatchedGroup, 'filter' | 'monitoring'> {
  filter: unknown
  monitoring: unknown
}

const toWatched = (row: Stored): WatchedGroup => ({
  ...row,
  filter: SmartGroupFilter.parse(row.filter),
  monitoring: PacketMonitoring.parse(row.monitoring),
})

const columns = sql`id, title, account_id as "accountId", filter, monitoring, version`

/** The next group that was not yet compared for this hour. */
export async function nextToJudge(db: Executor, hour: number): Promise<WatchedGroup | undefined> {
  const { rows } = await sql<Stored>`
    select ${columns} from smart_groups where monitoring is not null and judged is distinct from ${hour}
    order by judged nulls first, id limit 1`.execute(db)
  return rows.map(toWatched)[0]
}

/** Notes that the devices of a group were compared, unless it has changed meanwhile. */
export async function markJudged(tx: Executor, group: WatchedGroup, hour: number): Promise<void> {
  await sql`update smart_groups set judged = ${hour} where id = ${group.id} and version = ${group.version}`.execute(
    tx,
  )
}

/** The groups that are watched, of these. */
export async function findWatched(db: Executor, ids: readonly number[]): Promise<WatchedGroup[]> {
  const { rows } = await sql<Stored>`
    select ${columns} from smart_groups where monitoring is not null and id = ${anyOf(ids)}`.execute(db)
  return rows.map(toWatched)
}

type Changed = Omit<ThresholdChanged, 'at' | 'low'>

const changed = (groupTitle: RawBuilder<string>) => sql`account_id as "accountId", twin_id as "twinId",
  group_id as "groupId", ${groupTitle} as "groupTitle", received::float8 as received,
  (expected * window_hours / 24)::float8 as expected, window_hours as "windowHours"`

/**
 * Compares the next devices of a group after an id, and notes those that have become low. Needs twins, devices and live rows.
 * @param since packets are counted from here on
 * @returns the last device looked at (null: no more), and those that have become low
 */
export async function noteLow(
  tx: Executor,
  { id, from, where }: Members,
  group: WatchedGroup,
  asked: { hour: number; since: Date; now: Date; after: number; limit: number },
): Promise<{ last: number | null; lows: Changed[] }> {
  const { hour, since, now, after, limit } = asked
  const { windowHours, threshold } = group.monitoring
  const begin = new Date((hour - windowHours) * 3_600_000)
  const isCovered = since <= begin
  const { rows } = await sql<{ last: number | null; lows: Changed[] }>`
    with looked as materialized (
      select t.id, t.account_id, l.packets, ${receivedSince(hour - windowHours)} as received, ${expectedPerDay(group.monitoring)} as expected,
        not t.disabled and t.created_at <= ${begin} as is_due
      from ${from} left join device_packets p on p.twin_id = ${id}
      where ${where} and ${id} > ${after} order by ${id} limit ${limit}),
    noted as (
      insert into smart_group_lows (group_id, twin_id, account_id, group_title, window_hours, expected, received, packets, since)
      select ${group.id}, id, account_id, ${group.title}, ${windowHours}, expected, received, packets, ${now}
      from looked where ${isCovered}::boolean and is_due and expected > 0
        and received < expected * ${windowHours}::int / 24 * ${threshold}::int / 100
      on conflict do nothing
      returning ${changed(sql<string>`group_title`)})
    select (select max(id) from looked) as last, (select coalesce(jsonb_agg(noted), '[]') from noted) as lows`.execute(
    tx,
  )
  return rows[0] ?? { last: null, lows: [] }
}

/** The next low devices after one, by group. */
export async function nextLows(
  db: Executor,
  after: { groupId: number; twinId: number },
  limit: number,
): Promise<{ groupId: number; twinId: number }[]> {
  const { rows } = await sql<{ groupId: number; twinId: number }>`
    select group_id as "groupId", twin_id as "twinId" from smart_group_lows
    where (group_id, twin_id) > (${after.groupId}, ${after.twinId}) order by group_id, twin_id limit ${limit}`.execute(
    db,
  )
  return rows
}

/** The next low devices after one that have sent something since they were compared. */
export async function nextStirred(
  db: Executor,
  after: { groupId: number; twinId: number },
  limit: number,
): Promise<{ groupId: number; twinId: number }[]> {
  const { rows } = await sql<{ groupId: number; twinId: number }>`
    select w.group_id as "groupId", w.twin_id as "twinId" from smart_group_lows w
    join device_live l on l.twin_id = w.twin_id and l.packets <> w.packets
    where (w.group_id, w.twin_id) > (${after.groupId}, ${after.twinId})
    order by w.group_id, w.twin_id limit ${limit}`.execute(db)
  return rows
}

/** Ends those that no group watches any more. */
export async function endUnwatched(
  tx: Executor,
  groupId: number,
  twinIds: readonly number[],
): Promise<Changed[]> {
  const { rows } = await sql<Changed>`
    delete from smart_group_lows where group_id = ${groupId} and twin_id = ${anyOf(twinIds)}
    returning ${changed(sql<string>`group_title`)}`.execute(tx)
  return rows
}

/**
 * Compares low devices of a group again. Those that send enough, have left the group, are disabled, or of which nothing is expected any more
 * are ended and returned; the others keep what was expected of them, so that a silent device does not lower it.
 */
export async function reviewLows(
  tx: Executor,
  { id, from, where }: Members,
  group: WatchedGroup,
  { hour, twinIds }: { hour: number; twinIds: readonly number[] },
): Promise<Changed[]> {
  const { windowHours, threshold, hysteresis, expected } = group.monitoring
  // A number that was changed counts at once; what was learned stays.
  const asked = expected === 'learned' ? sql`w.expected` : sql`coalesce(m.expected, 0)`
  const { rows } = await sql<Changed>`
    with members as (
      select t.id, l.packets, ${receivedSince(hour - windowHours)} as received, t.disabled, ${expectedPerDay(group.monitoring)} as expected
      from ${from} left join device_packets p on p.twin_id = ${id}
      where ${where} and ${id} = ${anyOf(twinIds)}),
    seen as (
      select w.twin_id, m.packets, m.received, ${asked} as expected, coalesce(m.disabled
        or m.received >= ${asked} * ${windowHours}::int / 24 * ${threshold + hysteresis}::int / 100, true) as over
      from smart_group_lows w left join members m on m.id = w.twin_id
      where w.group_id = ${group.id} and w.twin_id = ${anyOf(twinIds)}),
    kept as (
      update smart_group_lows w set received = s.received, packets = s.packets, expected = s.expected,
        window_hours = ${windowHours}, group_title = ${group.title}
      from seen s where w.group_id = ${group.id} and w.twin_id = s.twin_id and not s.over
        -- most are as they were, and cost no write
        and (w.received, w.packets, w.expected, w.window_hours, w.group_title)
          is distinct from (s.received, s.packets, s.expected, ${windowHours}::int, ${group.title}::text)),
    ended as (
      delete from smart_group_lows w using seen s where w.group_id = ${group.id} and w.twin_id = s.twin_id and s.over
      returning w.account_id, w.twin_id, w.group_id, w.group_title, coalesce(s.received, w.received) as received,
        s.expected, ${windowHours}::int as window_hours)
    select ${changed(sql<string>`group_title`)} from ended`.execute(tx)
  return rows
}
