import type { AlarmMaintenance } from '@leitstand/contract/alarmMaintenance'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'

export interface MaintenanceRow extends AlarmMaintenance {
  /** of the twin, or of the account */
  scopeId: number
}

const rows = (
  where: ReturnType<typeof sql<boolean>>,
  order: ReturnType<typeof sql>,
  page: ReturnType<typeof sql>,
) =>
  sql<MaintenanceRow & { total: number }>`
    select m.id, m.account_id as "accountId", a.name as "accountName", m.twin_id as "twinId", t.title as "twinTitle",
      m.group_id as "groupId", g.title as "groupTitle",
      m.title, m.starts_at as "startsAt", m.ends_at as "endsAt", m.created_name as "createdBy",
      coalesce(t.scope_id, s.id) as "scopeId",
      (select count(*)::int from alarms where maintenance_id = m.id and resolved_at is null) as "openAlarms",
      count(*) over ()::int as total
    from alarm_maintenances m join accounts a on a.id = m.account_id
      join scopes s on s.account_id = m.account_id and s.twin_id is null
      left join twins t on t.id = m.twin_id left join smart_groups g on g.id = m.group_id
    where ${where} order by ${order} ${page}`

function toRow({ total: _, ...row }: MaintenanceRow & { total: number }): MaintenanceRow {
  const text = (time: unknown) => (time as Date).toISOString()
  return { ...row, startsAt: text(row.startsAt), endsAt: text(row.endsAt) }
}

/** Those in these scopes: not over, the next first, or over, the latest first. */
export async function listMaintenance(
  db: Executor,
  scopeIds: readonly number[],
  { past, now, offset, limit }: { past: boolean; now: Date; offset: number; limit: number },
): Promise<{ items: MaintenanceRow[]; total: number }> {
  const time = past ? sql`m.ends_at <= ${now}` : sql`m.ends_at > ${now}`
  const { rows: found } = await rows(
    sql<boolean>`${time} and coalesce(t.scope_id, s.id) = ${anyOf(scopeIds)}`,
    past ? sql`m.ends_at desc, m.id` : sql`m.starts_at, m.id`,
    sql`offset ${offset} limit ${limit}`,
  ).execute(db)
  return { items: found.map(toRow), total: found[0]?.total ?? 0 }
}

export async function findMaintenance(db: Executor, id: number): Promise<MaintenanceRow | undefined> {
  const { rows: found } = await rows(sql<boolean>`m.id = ${id}`, sql`m.id`, sql``).execute(db)
  return found.map(toRow)[0]
}

/** @returns undefined when the account has as many as it can have */
export async function insertMaintenance(
  tx: Executor,
  values: {
    accountId: number
    twinId: number | null
    groupId: number | null
    title: string
    startsAt: Date
    endsAt: Date
  },
  by: { userId: number | null; name: string },
  { now, max }: { now: Date; max: number },
): Promise<number | undefined> {
  await sql`select from accounts where id = ${values.accountId} for no key update`.execute(tx)
  const { rows: made } = await sql<{ id: number }>`
    insert into alarm_maintenances (account_id, twin_id, group_id, title, starts_at, ends_at, created_by, created_name)
    select ${values.accountId}, ${values.twinId}, ${values.groupId}, ${values.title}, ${values.startsAt}, ${values.endsAt},
      ${by.userId}, ${by.name}
    where (select count(*) from alarm_maintenances where account_id = ${values.accountId} and ends_at > ${now}) < ${max}
    returning id`.execute(tx)
  return made[0]?.id
}

/** Ends it now; one that has not begun is deleted. */
export async function endMaintenance(tx: Executor, id: number, now: Date): Promise<void> {
  await sql`delete from alarm_maintenances where id = ${id} and starts_at >= ${now}`.execute(tx)
  await sql`update alarm_maintenances set ends_at = ${now} where id = ${id} and ends_at > ${now}`.execute(tx)
}

/** Whether something is maintained now, and of which smart groups. Usually nothing is. */
export async function readMaintained(
  tx: Executor,
  now: Date,
): Promise<{ isActive: boolean; groupIds: number[] }> {
  const { rows: active } = await sql<{ groupId: number | null }>`
    select distinct group_id as "groupId" from alarm_maintenances
    where starts_at <= ${now} and ends_at > ${now}`.execute(tx)
  return { isActive: active.length > 0, groupIds: active.flatMap(({ groupId }) => groupId ?? []) }
}

/** Alarms among these that are about twins. @returns the twins */
export async function readTwinsOf(tx: Executor, alarmIds: readonly number[]): Promise<number[]> {
  const { rows: found } = await sql<{ id: number }>`
    select distinct twin_id as id from alarms
    where id = any(${[...alarmIds]}::bigint[]) and twin_id is not null`.execute(tx)
  return found.map(({ id }) => id)
}

/**
 * Marks new alarms that open where work is done.
 * @param groups smart groups that devices are in, by device
 * @returns those that were marked
 */
export async function markMaintained(
  tx: Executor,
  alarmIds: readonly number[],
  groups: ReadonlyMap<number, ReadonlySet<number>>,
  now: Date,
): Promise<Set<number>> {
  const members = [...groups].flatMap(([twinId, ids]) => [...ids].map((groupId) => ({ twinId, groupId })))
  const { rows: marked } = await sql<{ id: number }>`
    with recursive active as (
      select id, account_id, twin_id, group_id from alarm_maintenances where starts_at <= ${now} and ends_at > ${now}),
    twin_up (alarm_id, twin_id) as (
      select id, twin_id from alarms where id = any(${[...alarmIds]}::bigint[]) and twin_id is not null
      union all
      select u.alarm_id, t.parent_id from twin_up u join twins t on t.id = u.twin_id where t.parent_id is not null),
    account_up (alarm_id, account_id) as (
      select id, account_id from alarms where id = any(${[...alarmIds]}::bigint[])
      union all
      select u.alarm_id, a.parent_id from account_up u join accounts a on a.id = u.account_id
      where a.parent_id is not null),
    members as (
      select * from unnest(${members.map(({ twinId }) => twinId)}::int[], ${members.map(({ groupId }) => groupId)}::int[])
        as members (twin_id, group_id)),
    found as (
      select u.alarm_id, m.id from twin_up u join active m on m.twin_id = u.twin_id
      union all
      select a.id, m.id from alarms a join members g on g.twin_id = a.twin_id join active m on m.group_id = g.group_id
      where a.id = any(${[...alarmIds]}::bigint[])
      union all
      select u.alarm_id, m.id from account_up u
      join active m on m.twin_id is null and m.group_id is null and m.account_id = u.account_id)
    update alarms a set maintenance_id = f.id
    from (select alarm_id, min(id) as id from found group by alarm_id) f where a.id = f.alarm_id
    returning a.id`.execute(tx)
  return new Set(marked.map(({ id }) => Number(id)))
}

/** Takes the mark from alarms whose maintenance is over. @returns those that are still open */
export async function releaseMaintained(tx: Executor, now: Date, limit: number): Promise<number[]> {
  const { rows: released } = await sql<{ id: number; open: boolean }>`
    update alarms set maintenance_id = null where id in (
      select a.id from alarms a
      where a.maintenance_id = any(array(select id from alarm_maintenances where ends_at <= ${now}))
      order by a.id limit ${limit} for update of a skip locked)
    returning id, resolved_at is null as open`.execute(tx)
  return released.filter(({ open }) => open).map(({ id }) => Number(id))
}

/** Deletes what was over long ago. */
export async function deleteOldMaintenance(
  tx: Executor,
  accountId: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from alarm_maintenances where id = any(array(
      select id from alarm_maintenances where account_id = ${accountId} and ends_at < ${before} limit ${limit}))`.execute(
    tx,
  )
  return Number(numAffectedRows ?? 0)
}

export async function deleteMaintenanceOf(tx: Executor, accountId: number): Promise<void> {
  await sql`delete from alarm_maintenances where account_id = ${accountId}`.execute(tx)
}
