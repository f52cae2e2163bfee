import type { JsonValue } from '@leitstand/contract/common'
import { keyLimits, LockWay } from '@leitstand/contract/keys'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import type { Place } from '../../platform/geo/metres.ts'
import { toValidity, type ValidityRow } from './keys.store.ts'
import type { KeySight } from './policy.ts'
import type { Validity } from './validity.ts'

/** A lock as one key of a person opens it. */
export interface Door {
  keyId: number
  validity: Validity
  lockId: number
  twinId: number
  title: string
  scopeId: number
  accountId: number
  place: Place | null
  way: LockWay
  report: { stateId: number; value: JsonValue } | null
  waitSeconds: number
  throttleSeconds: number
  needsCode: boolean
  withinMetres: number | null
}

interface DoorRow extends ValidityRow {
  key_id: number
  lock_id: number
  twin_id: number
  title: string
  scope_id: number
  account_id: number
  latitude: number | null
  longitude: number | null
  way: unknown
  report_state_id: number | null
  report_value: JsonValue
  wait_seconds: number
  throttle_seconds: number
  needs_code: boolean
  within_metres: number | null
}

const doors = sql`
  select k.id as key_id, k.valid_from, k.valid_until, k.weekdays, k.hours_from, k.hours_until, k.time_zone, k.revoked_at,
    l.id as lock_id, l.twin_id, w.title, w.scope_id, l.account_id, w.latitude, w.longitude, l.way, l.report_state_id,
    l.report_value, l.wait_seconds, l.throttle_seconds, l.needs_code, l.within_metres
  from door_keys k
    join locks l on l.id = k.lock_id or l.id in (select m.lock_id from lock_group_members m where m.group_id = k.group_id)
    join twins w on w.id = l.twin_id and w.account_id = k.account_id`

const toDoor = (row: DoorRow): Door => ({
  keyId: row.key_id,
  validity: toValidity(row),
  lockId: row.lock_id,
  twinId: row.twin_id,
  title: row.title,
  scopeId: row.scope_id,
  accountId: row.account_id,
  place:
    row.latitude === null || row.longitude === null
      ? null
      : { latitude: row.latitude, longitude: row.longitude },
  way: LockWay.parse(row.way),
  report: row.report_state_id === null ? null : { stateId: row.report_state_id, value: row.report_value },
  waitSeconds: row.wait_seconds,
  throttleSeconds: row.throttle_seconds,
  needsCode: row.needs_code,
  withinMetres: row.within_metres,
})

/** Doors of the keys of a person that are neither revoked nor expired, where they have the right to use them. */
export async function listDoors(db: Executor, { userId, use }: KeySight, now: Date): Promise<Door[]> {
  const { rows } = await sql<DoorRow>`
    ${doors}
    where k.user_id = ${userId} and k.revoked_at is null and (k.valid_until is null or k.valid_until > ${now})
      and w.scope_id = ${anyOf([...use])}
    order by w.title collate natural_order, l.id, k.id limit ${keyLimits.doorsMax}`.execute(db)
  return rows.map(toDoor)
}

/** A lock that a key of the person is for, whether it is valid or not. @param lockId undefined: the key's only one */
export async function findDoor(
  db: Executor,
  { userId, keyId, lockId }: { userId: number; keyId: number; lockId: number | undefined },
): Promise<Door | undefined> {
  const { rows } = await sql<DoorRow>`
    ${doors}
    where k.id = ${keyId} and k.user_id = ${userId}
      and l.id = ${lockId === undefined ? sql`k.lock_id` : sql`${lockId}`}`.execute(db)
  return rows[0] === undefined ? undefined : toDoor(rows[0])
}

/** Lets one activation of a lock be judged at a time, and its key and lock stay as they are until the transaction ends. */
export async function lockDoor(
  tx: Executor,
  { lockId, keyId }: { lockId: number; keyId: number },
): Promise<void> {
  await sql`select from locks where id = ${lockId} for update`.execute(tx)
  await sql`select from door_keys where id = ${keyId} for share`.execute(tx)
}

/** When a person has opened a lock last, by the order in which it happened; null: never. */
export async function lastActivation(
  db: Executor,
  { userId, lockId }: { userId: number; lockId: number },
): Promise<Date | null> {
  const { rows } = await sql<{ at: Date }>`
    select requested_at as at from lock_activations
    where user_id = ${userId} and lock_id = ${lockId} and request_id is not null
    order by id desc limit 1`.execute(db)
  return rows[0]?.at ?? null
}

const levelsMax = 20

/** Titles of the twins above doors, the topmost first, as far as the caller may use keys there. */
export async function titlesAbove(
  db: Executor,
  { use }: KeySight,
  twinIds: readonly number[],
): Promise<Map<number, string[]>> {
  if (twinIds.length === 0) return new Map()
  const { rows } = await sql<{ id: number; titles: string[] }>`
    with recursive up (id, parent_id, level) as (
      select id, parent_id, 0 from twins where id = ${anyOf([...twinIds])}
      union all
      select up.id, p.parent_id, up.level + 1 from up join twins p on p.id = up.parent_id
      where up.level < ${levelsMax})
    select up.id, array_agg(p.title order by up.level desc) as titles
    from up join twins p on p.id = up.parent_id where p.category = 'digitalTwin'
      and p.scope_id = ${anyOf([...use])} group by up.id`.execute(db)
  return new Map(rows.map(({ id, titles }) => [id, titles]))
}
