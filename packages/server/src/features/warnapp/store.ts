import type { JsonValue } from '@leitstand/contract/common'
import type { Search } from '@leitstand/contract/search'
import type { ValueType } from '@leitstand/contract/states'
import type {
  WarnChoice,
  WarnMedia,
  WarnMediaRole,
  WarnState,
  WarnStateInput,
} from '@leitstand/contract/warnapp'
import { levelOf } from '@leitstand/contract/warnLevels'
import { type RawBuilder, sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { matches } from '../../platform/db/textFilter.ts'

/** A monitor as it is stored, with its twin. */
export interface MonitorRow {
  id: number
  version: number
  ownTitle: string
  twinTitle: string
  accountId: number
  accountName: string
  scopeId: number
}

const columns = sql`m.id, m.version, m.title as "ownTitle", w.title as "twinTitle", w.account_id as "accountId",
  a.name as "accountName", w.scope_id as "scopeId"`
const tables = sql`warn_monitors m join twins w on w.id = m.id join accounts a on a.id = w.account_id`

/** A monitor of a twin in these scopes. @param lock until the transaction ends */
export async function findMonitor(
  db: Executor,
  scopeIds: readonly number[],
  id: number,
  lock: RawBuilder<unknown> = sql``,
): Promise<MonitorRow | undefined> {
  const { rows } = await sql<MonitorRow>`
    select ${columns} from ${tables} where m.id = ${id} and w.scope_id = ${anyOf([...scopeIds])} ${lock}`.execute(
    db,
  )
  return rows[0]
}

export const lockMonitor = (tx: Executor, scopeIds: readonly number[], id: number) =>
  findMonitor(tx, scopeIds, id, sql`for update of m`)

export interface MonitorFilter {
  scopeIds: readonly number[]
  search: Search | null
  accountIds: readonly number[] | undefined
  /** only favourites of this user */
  favoritesOf?: number | null | undefined
}

/** Monitors by title, and how many there are. */
export async function listMonitors(
  db: Executor,
  { scopeIds, search, accountIds, favoritesOf }: MonitorFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ items: MonitorRow[]; total: number }> {
  const title = sql`coalesce(nullif(m.title, ''), w.title)`
  const conditions = [sql`w.scope_id = ${anyOf([...scopeIds])}`]
  if (accountIds) conditions.push(sql`w.account_id = ${anyOf([...accountIds])}`)
  if (favoritesOf !== undefined)
    conditions.push(
      sql`m.id in (select object_id from favorites where user_id = ${favoritesOf} and type = 'warnMonitor')`,
    )
  if (search) conditions.push(matches([sql`fold(E'\n' || m.title || E'\n')`, sql`w.search`], search))
  const where = sql.join(conditions, sql` and `)
  const { rows } = await sql<MonitorRow>`
    select ${columns} from ${tables} where ${where}
    order by ${title} collate natural_order, m.id offset ${offset} limit ${limit}`.execute(db)
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from ${tables} where ${where}`.execute(db)
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

const stateColumns = sql`s.id as "stateId", s.key, s.title, s.unit, s.decimals, s.value_type as "valueType",
  coalesce(to_jsonb(c.num), to_jsonb(c.txt), to_jsonb(c.bool), c.json) as value, c.time`

type Raw<T> = Omit<T, 'time' | 'level'> & { time: Date | null }

/** States of monitors in their order, with their newest values and levels. @param now time of the server */
export async function readStates(
  db: Executor,
  monitorIds: readonly number[],
  now: Date,
): Promise<Map<number, WarnState[]>> {
  const { rows } = await sql<Raw<WarnState> & { monitorId: number }>`
    select n.monitor_id as "monitorId", n.limits, n.silent_minutes as "silentMinutes", ${stateColumns}
    from warn_states n join states s on s.id = n.state_id left join state_current c on c.state_id = s.id
    where n.monitor_id = ${anyOf([...monitorIds])} order by n.monitor_id, n.position`.execute(db)
  const found = new Map<number, WarnState[]>()
  for (const { monitorId, ...row } of rows) {
    const state = { ...row, time: row.time?.toISOString() ?? null }
    const states = found.get(monitorId) ?? []
    states.push({ ...state, level: levelOf(state, now.getTime()) })
    found.set(monitorId, states)
  }
  return found
}

/** Which states a monitor shows. */
export async function readStateIds(db: Executor, id: number): Promise<Set<number>> {
  const rows = await db.selectFrom('warn_states').select('state_id').where('monitor_id', '=', id).execute()
  return new Set(rows.map((row) => row.state_id))
}

/** Newest values of the states of a monitor. */
export async function readCurrent(
  db: Executor,
  id: number,
): Promise<{ stateId: number; twinId: number; key: string; value: JsonValue; timeMs: number }[]> {
  const { rows } = await sql<{ stateId: number; twinId: number; key: string; value: JsonValue; time: Date }>`
    select s.id as "stateId", s.twin_id as "twinId", s.key, c.time,
      coalesce(to_jsonb(c.num), to_jsonb(c.txt), to_jsonb(c.bool), c.json) as value
    from warn_states n join states s on s.id = n.state_id join state_current c on c.state_id = s.id
    where n.monitor_id = ${id}`.execute(db)
  return rows.map(({ time, ...value }) => ({ ...value, timeMs: time.getTime() }))
}

/** A twin at which a monitor can be set up. @param lock until the transaction ends */
export async function findTwin(
  db: Executor,
  scopeIds: readonly number[],
  id: number,
  lock: RawBuilder<unknown> = sql``,
): Promise<{ id: number; title: string; accountId: number } | undefined> {
  const { rows } = await sql<{ id: number; title: string; accountId: number }>`
    select w.id, w.title, w.account_id as "accountId" from twins w
    where w.id = ${id} and w.category = 'digitalTwin' and w.scope_id = ${anyOf([...scopeIds])} ${lock}`.execute(
    db,
  )
  return rows[0]
}

/** Two who set up the monitor of a twin wait for each other; others may use the twin meanwhile. */
export const lockTwin = (tx: Executor, scopeIds: readonly number[], id: number) =>
  findTwin(tx, scopeIds, id, sql`for no key update of w`)

/** States of a twin in their order. */
export async function listChoices(
  db: Executor,
  twinId: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ items: WarnChoice[]; total: number }> {
  const { rows } = await sql<Raw<WarnChoice>>`
    select ${stateColumns} from states s left join state_current c on c.state_id = s.id
    where s.twin_id = ${twinId} order by s.position, s.id offset ${offset} limit ${limit}`.execute(db)
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from states where twin_id = ${twinId}`.execute(db)
  return {
    items: rows.map((row) => ({ ...row, time: row.time?.toISOString() ?? null })),
    total: counted.rows[0]?.total ?? 0,
  }
}

/** Title and type of some states of a twin; those of others are missing. */
export async function readTypes(
  db: Executor,
  twinId: number,
  stateIds: readonly number[],
): Promise<Map<number, { title: string; valueType: ValueType }>> {
  const { rows } = await sql<{ id: number; title: string; valueType: ValueType }>`
    select id, title, value_type as "valueType" from states
    where twin_id = ${twinId} and id = ${anyOf([...stateIds])}`.execute(db)
  return new Map(rows.map(({ id, ...state }) => [id, state]))
}

export async function countMonitors(db: Executor, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from warn_monitors m join twins w on w.id = m.id
    where w.account_id = ${accountId}`.execute(db)
  return rows[0]?.count ?? 0
}

export async function insertMonitor(tx: Executor, id: number, title: string, at: Date): Promise<void> {
  await tx.insertInto('warn_monitors').values({ id, title, created_at: at }).execute()
}

/** A new version; screens read the monitor again. */
export async function touchMonitor(tx: Executor, id: number, title?: string): Promise<void> {
  await tx
    .updateTable('warn_monitors')
    .set({ version: sql`version + 1`, ...(title === undefined ? {} : { title }) })
    .where('id', '=', id)
    .execute()
}

export async function replaceStates(
  tx: Executor,
  id: number,
  states: readonly WarnStateInput[],
): Promise<void> {
  await tx.deleteFrom('warn_states').where('monitor_id', '=', id).execute()
  await tx
    .insertInto('warn_states')
    .values(
      states.map(({ stateId, limits, silentMinutes }, position) => ({
        monitor_id: id,
        state_id: stateId,
        position,
        limits: JSON.stringify(limits),
        silent_minutes: silentMinutes,
      })),
    )
    .execute()
}

export async function deleteMonitor(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('warn_monitors').where('id', '=', id).execute()
}

/** Image and sound of monitors, without their contents. */
export async function readMedia(
  db: Executor,
  ids: readonly number[],
): Promise<Map<number, Partial<Record<WarnMediaRole, WarnMedia>>>> {
  const { rows } = await sql<WarnMedia & { id: number; role: WarnMediaRole }>`
    select monitor_id as id, role, name, media_type as type, size, hash from warn_media
    where monitor_id = ${anyOf([...ids])}`.execute(db)
  const found = new Map<number, Partial<Record<WarnMediaRole, WarnMedia>>>()
  for (const { id, role, ...media } of rows) found.set(id, { ...found.get(id), [role]: media })
  return found
}

export async function readContent(
  db: Executor,
  id: number,
  role: WarnMediaRole,
): Promise<(WarnMedia & { bytes: Buffer }) | undefined> {
  const row = await db
    .selectFrom('warn_media')
    .select(['name', 'media_type as type', 'size', 'hash', 'bytes'])
    .where('monitor_id', '=', id)
    .where('role', '=', role)
    .executeTakeFirst()
  return row
}

export async function insertMedia(
  tx: Executor,
  id: number,
  role: WarnMediaRole,
  { name, type, hash, bytes }: Pick<WarnMedia, 'name' | 'type' | 'hash'> & { bytes: Buffer },
): Promise<void> {
  await tx
    .insertInto('warn_media')
    .values({ monitor_id: id, role, name, media_type: type, size: bytes.length, hash, bytes })
    .execute()
}

/** @returns the name of what was there */
export async function deleteMedia(
  tx: Executor,
  id: number,
  role: WarnMediaRole,
): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('warn_media')
    .where('monitor_id', '=', id)
    .where('role', '=', role)
    .returning('name')
    .executeTakeFirst()
  return row?.name
}
