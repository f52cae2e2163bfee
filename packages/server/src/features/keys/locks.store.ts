import type { JsonValue } from '@leitstand/contract/common'
import { type Lock, type LockGroup, LockWay } from '@leitstand/contract/keys'
import type { Search } from '@leitstand/contract/search'
import { type RawBuilder, sql } from 'kysely'
import { anyOf, type Executor, jsonb } from '../../platform/db/index.ts'
import { matches } from '../../platform/db/textFilter.ts'
import type { Place } from '../../platform/geo/metres.ts'
import { viewOf } from '../objects/index.ts'
import type { KeySight } from './policy.ts'

export interface LockFields {
  way: LockWay
  report: { stateId: number; value: JsonValue } | null
  waitSeconds: number
  throttleSeconds: number
  needsCode: boolean
  withinMetres: number | null
}

interface LockRow {
  id: number
  version: number
  account_id: number
  account_name: string
  twin_id: number
  twin_title: string
  way: unknown
  way_to: string | null
  report_state_id: number | null
  report_value: JsonValue
  report_title: string | null
  wait_seconds: number
  throttle_seconds: number
  needs_code: boolean
  within_metres: number | null
  keys: number
}

interface LockFilter {
  search?: Search | null
  accountIds?: readonly number[] | undefined
  groupId?: number | undefined
  ids?: readonly number[] | undefined
}

/** Locks `l` of doors `w` in the scopes in which the caller manages keys, matching a filter. */
function found({ manage }: KeySight, { search, accountIds, groupId, ids }: LockFilter): RawBuilder<unknown> {
  const conditions = [sql<boolean>`w.scope_id = ${anyOf([...manage])}`]
  if (search) conditions.push(matches([sql`w.search`], search))
  if (accountIds) conditions.push(sql`l.account_id = ${anyOf([...accountIds])}`)
  if (groupId)
    conditions.push(sql`l.id in (select lock_id from lock_group_members where group_id = ${groupId})`)
  if (ids) conditions.push(sql`l.id = ${anyOf([...ids])}`)
  return sql`locks l join twins w on w.id = l.twin_id where ${sql.join(conditions, sql` and `)}`
}

/** One page of the locks the caller manages, by title of the door. @param now keys that are valid then are counted */
export async function listLocks(
  db: Executor,
  sight: KeySight,
  filter: LockFilter,
  { offset, limit, now }: { offset: number; limit: number; now: Date },
): Promise<{ items: Lock[]; total: number }> {
  const { rows } = await sql<LockRow>`
    select l.*, w.title as twin_title, a.name as account_name, s.title as report_title,
      coalesce(d.title, c.name) as way_to,
      (select count(*)::int from door_keys k
        where k.revoked_at is null and (k.valid_until is null or k.valid_until > ${now})
          and (k.lock_id = l.id
            or k.group_id in (select m.group_id from lock_group_members m where m.lock_id = l.id))) as keys
    from (select l.*, row_number() over (order by w.title collate natural_order, l.id) as at from ${found(sight, filter)}
        order by w.title collate natural_order, l.id offset ${offset} limit ${limit}) l
      join twins w on w.id = l.twin_id join accounts a on a.id = l.account_id
      left join ${viewOf('states')} s on s.id = l.report_state_id
      left join ${viewOf('devices')} d on d.id = l.device_id
      left join ${viewOf('connectors')} c on c.id = l.connector_id
    order by l.at`.execute(db)
  const counted = await sql<{
    total: number
  }>`select count(*)::int as total from ${found(sight, filter)}`.execute(db)
  return { items: rows.map(toLock), total: counted.rows[0]?.total ?? 0 }
}

function toLock(row: LockRow): Lock {
  return {
    id: row.id,
    version: row.version,
    accountId: row.account_id,
    accountName: row.account_name,
    twin: { id: row.twin_id, title: row.twin_title },
    way: LockWay.parse(row.way),
    wayTo: row.way_to,
    report:
      row.report_state_id === null
        ? null
        : { stateId: row.report_state_id, value: row.report_value, title: row.report_title ?? '' },
    waitSeconds: row.wait_seconds,
    throttleSeconds: row.throttle_seconds,
    needsCode: row.needs_code,
    withinMetres: row.within_metres,
    keys: row.keys,
  }
}

/** A twin that may get a lock, in the scopes in which the caller manages keys. */
export async function findDoor(
  db: Executor,
  { manage }: KeySight,
  twinId: number,
): Promise<{ accountId: number; title: string; type: string; place: Place | null } | undefined> {
  const { rows } = await sql<{
    accountId: number
    title: string
    type: string
    latitude: number | null
    longitude: number | null
  }>`
    select account_id as "accountId", title, type, latitude, longitude from twins
    where id = ${twinId} and category = 'digitalTwin' and scope_id = ${anyOf([...manage])}`.execute(db)
  const row = rows[0]
  if (row === undefined) return undefined
  const { latitude, longitude, ...door } = row
  return { ...door, place: latitude === null || longitude === null ? null : { latitude, longitude } }
}

/** A device with its scope, and the twin at which it stands; undefined for other twins. */
export async function findDevice(
  db: Executor,
  id: number,
): Promise<{ accountId: number; scopeId: number; parentId: number | null } | undefined> {
  const { rows } = await sql<{ accountId: number; scopeId: number; parentId: number | null }>`
    select d.account_id as "accountId", d.scope_id as "scopeId", t.parent_id as "parentId"
    from ${viewOf('devices')} d join twins t on t.id = d.id where d.id = ${id}`.execute(db)
  return rows[0]
}

/** A state with the twin or device it belongs to. */
export async function findReport(
  db: Executor,
  stateId: number,
): Promise<{ accountId: number; scopeId: number; category: string } | undefined> {
  const { rows } = await sql<{ accountId: number; scopeId: number; category: string }>`
    select t.account_id as "accountId", t.scope_id as "scopeId", t.category
    from ${viewOf('states')} s join ${viewOf('twins')} t on t.id = s.twin_id where s.id = ${stateId}`.execute(
    db,
  )
  return rows[0]
}

/** Serialises what is counted in an account, so that two calls cannot exceed a limit together. */
export async function lockAccount(tx: Executor, accountId: number): Promise<void> {
  await sql`select from accounts where id = ${accountId} for no key update`.execute(tx)
}

export async function countOf(
  tx: Executor,
  table: 'locks' | 'lock_groups' | 'door_keys',
  accountId: number,
): Promise<number> {
  const { count } = await tx
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

const columnsOf = ({ way, report, ...fields }: LockFields) => ({
  way: jsonb(way),
  device_id: way.kind === 'downlink' ? way.deviceId : null,
  connector_id: way.kind === 'downlink' ? null : way.connectorId,
  report_state_id: report?.stateId ?? null,
  report_value: report === null ? null : jsonb(report.value),
  wait_seconds: fields.waitSeconds,
  throttle_seconds: fields.throttleSeconds,
  needs_code: fields.needsCode,
  within_metres: fields.withinMetres,
})

/** @returns its id; undefined when the door has one */
export async function insertLock(
  tx: Executor,
  { accountId, twinId }: { accountId: number; twinId: number },
  fields: LockFields,
): Promise<number | undefined> {
  const made = await tx
    .insertInto('locks')
    .values({ account_id: accountId, twin_id: twinId, ...columnsOf(fields) })
    .onConflict((conflict) => conflict.column('twin_id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return made?.id
}

/** @returns false when its version is another one */
export async function writeLock(
  tx: Executor,
  { id, version }: { id: number; version: number },
  fields: LockFields,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('locks')
    .set({ ...columnsOf(fields), version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteLock(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('locks').where('id', '=', id).execute()
}

interface GroupFilter {
  search?: Search | null
  accountIds?: readonly number[] | undefined
  ids?: readonly number[] | undefined
}

function foundGroups({ manage }: KeySight, { search, accountIds, ids }: GroupFilter): RawBuilder<unknown> {
  const conditions = [sql<boolean>`s.id = ${anyOf([...manage])}`]
  if (search) conditions.push(matches([sql`g.search`], search))
  if (accountIds) conditions.push(sql`g.account_id = ${anyOf([...accountIds])}`)
  if (ids) conditions.push(sql`g.id = ${anyOf([...ids])}`)
  return sql`lock_groups g join scopes s on s.account_id = g.account_id and s.twin_id is null
    join accounts a on a.id = g.account_id where ${sql.join(conditions, sql` and `)}`
}

/** One page of the groups of accounts in which the caller manages keys, by title. */
export async function listGroups(
  db: Executor,
  sight: KeySight,
  filter: GroupFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ items: LockGroup[]; total: number }> {
  const { rows } = await sql<LockGroup & { total: number }>`
    select g.id, g.version, g.account_id as "accountId", a.name as "accountName", g.title,
      coalesce((select jsonb_agg(jsonb_build_object('id', l.id, 'title', w.title) order by w.title collate natural_order, l.id)
        from lock_group_members m join locks l on l.id = m.lock_id join twins w on w.id = l.twin_id
        where m.group_id = g.id), '[]') as locks
    from ${foundGroups(sight, filter)}
    order by g.title collate natural_order, g.id offset ${offset} limit ${limit}`.execute(db)
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from ${foundGroups(sight, filter)}`.execute(db)
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

export async function insertGroup(
  tx: Executor,
  { accountId, title }: { accountId: number; title: string },
): Promise<number> {
  const { id } = await tx
    .insertInto('lock_groups')
    .values({ account_id: accountId, title })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** @returns false when its version is another one */
export async function writeGroup(
  tx: Executor,
  { id, version, title }: { id: number; version: number; title: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('lock_groups')
    .set({ title, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteGroup(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('lock_groups').where('id', '=', id).execute()
}

/** Makes these the locks of a group. @returns those that are no locks of the account the caller manages */
export async function writeMembers(
  tx: Executor,
  { manage }: KeySight,
  { groupId, accountId, lockIds }: { groupId: number; accountId: number; lockIds: readonly number[] },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select l.id from locks l join twins w on w.id = l.twin_id
    where l.id = ${anyOf([...lockIds])} and l.account_id = ${accountId} and w.scope_id = ${anyOf([...manage])}`.execute(
    tx,
  )
  const usable = new Set(rows.map(({ id }) => id))
  const foreign = lockIds.filter((id) => !usable.has(id))
  if (foreign.length > 0) return foreign
  await tx.deleteFrom('lock_group_members').where('group_id', '=', groupId).execute()
  if (usable.size > 0)
    await tx
      .insertInto('lock_group_members')
      .values([...usable].map((id) => ({ group_id: groupId, lock_id: id })))
      .execute()
  return []
}

/** Deletes the groups of an account, with their keys. */
export async function deleteGroupsOf(tx: Executor, accountId: number): Promise<void> {
  await tx.deleteFrom('lock_groups').where('account_id', '=', accountId).execute()
}

/** Months that an account keeps its log; null: it has set nothing. */
export async function readLogMonths(db: Executor, accountId: number): Promise<number | null> {
  const row = await db
    .selectFrom('lock_settings')
    .select('log_months')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.log_months ?? null
}

export async function writeLogMonths(tx: Executor, accountId: number, months: number): Promise<void> {
  await tx
    .insertInto('lock_settings')
    .values({ account_id: accountId, log_months: months })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ log_months: months }))
    .execute()
}
