import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import type { Members } from '../groups/index.ts'

/** Which alarms of the devices a report is about. */
export interface Asked {
  /** begin of its period */
  from: Date
  to: Date
  /** only those about packets */
  onlyPackets: boolean
}

export interface AlarmCounts {
  open: number
  openErrors: number
  unacknowledged: number
  /** opened in the period */
  raised: number
  /** opened since the last report */
  fresh: number
  freshErrors: number
  /** of these about packets */
  freshLow: number
  /** about packets, ended since the last report */
  resolvedLow: number
  /** in the period */
  resolved: number
}

export interface AlarmRow {
  severity: 'warning' | 'error'
  source: string
  message: string
  details: Record<string, unknown>
  title: string
  accountName: string
  raisedAt: Date
  resolvedAt: Date | null
}

export interface DeviceRow {
  title: string
  identifier: string
  health: number
  lastSeen: Date | null
  /** null: not below the threshold */
  received: number | null
  expected: number | null
}

const isAboutPackets = sql<boolean>`a.source = 'packet-threshold'`

/** Alarms held back by maintenance count only once it is over. */
const held = sql<boolean>`a.maintenance_id is null`

function among({ from, where }: Members, { onlyPackets }: Asked): RawBuilder<unknown> {
  const source = onlyPackets ? isAboutPackets : sql<boolean>`true`
  return sql`${from} join alarms a on a.twin_id = t.id where ${where} and ${held} and ${source}`
}

const isOpen = sql<boolean>`a.resolved_at is null`
const within = (column: RawBuilder<unknown>, { from, to }: Asked) =>
  sql<boolean>`(${column} >= ${from} and ${column} <= ${to})`

/** Needs twins. @param since the last report */
export async function countAlarms(
  db: Executor,
  members: Members,
  asked: Asked,
  since: Date,
): Promise<AlarmCounts> {
  const { rows } = await sql<AlarmCounts>`
    select (count(*) filter (where ${isOpen}))::int as open,
      (count(*) filter (where ${isOpen} and a.severity = 'error'))::int as "openErrors",
      (count(*) filter (where ${isOpen} and a.acknowledged_at is null))::int as unacknowledged,
      (count(*) filter (where ${within(sql`a.raised_at`, asked)}))::int as raised,
      (count(*) filter (where a.raised_at > ${since}))::int as fresh,
      (count(*) filter (where a.raised_at > ${since} and a.severity = 'error'))::int as "freshErrors",
      (count(*) filter (where a.raised_at > ${since} and ${isAboutPackets}))::int as "freshLow",
      (count(*) filter (where a.resolved_at > ${since} and ${isAboutPackets}))::int as "resolvedLow",
      (count(*) filter (where ${within(sql`a.resolved_at`, asked)}))::int as resolved
    from ${among(members, asked)}
      and (${isOpen} or a.resolved_at >= ${asked.from} or a.resolved_at >= ${since} or a.raised_at >= ${since} or a.raised_at >= ${asked.from})`.execute(
    db,
  )
  const [counted] = rows
  if (!counted) throw new Error('the alarms were not counted')
  return counted
}

/** The first alarms: open ones by severity, then the newest. Needs twins. */
export async function listAlarms(
  db: Executor,
  members: Members,
  which: 'open' | 'raised' | 'resolved',
  asked: Asked,
  limit: number,
): Promise<AlarmRow[]> {
  const condition = {
    open: isOpen,
    raised: within(sql`a.raised_at`, asked),
    resolved: within(sql`a.resolved_at`, asked),
  }[which]
  // `error` comes before `warning`
  const order = which === 'open' ? sql`a.severity, a.id desc` : sql`a.id desc`
  const { rows } = await sql<AlarmRow>`
    select a.severity, a.source, left(a.message, 500) as message, a.details, t.title, c.name as "accountName",
      a.raised_at as "raisedAt", a.resolved_at as "resolvedAt"
    from (select a.id, t.title, t.account_id from ${among(members, asked)} and ${condition} order by ${order} limit ${limit}) t
    join alarms a on a.id = t.id join accounts c on c.id = t.account_id order by ${order}`.execute(db)
  return rows
}

export interface DeviceCounts {
  devices: number
  errors: number
  warnings: number
  silent: number
}

const isSilent = (before: Date) =>
  sql<boolean>`(not t.disabled and (l.last_seen is null or l.last_seen < ${before}))`

/** Needs twins and live rows. @param silentBefore a device is silent that was last seen before */
export async function countDevices(
  db: Executor,
  { from, where }: Members,
  silentBefore: Date,
): Promise<DeviceCounts> {
  const { rows } = await sql<DeviceCounts>`
    select count(*)::int as devices, (count(*) filter (where l.health = 2))::int as errors,
      (count(*) filter (where l.health = 1))::int as warnings,
      (count(*) filter (where ${isSilent(silentBefore)}))::int as silent
    from ${from} where ${where}`.execute(db)
  return rows[0] ?? { devices: 0, errors: 0, warnings: 0, silent: 0 }
}

/** Devices with warnings or errors, errors first. Needs twins, devices and live rows. */
export async function listIll(db: Executor, { from, where }: Members, limit: number): Promise<DeviceRow[]> {
  const { rows } = await sql<DeviceRow>`
    select t.title, d.external_id as identifier, l.health, l.last_seen as "lastSeen", null as received, null as expected
    from ${from} where ${where} and l.health in (1, 2) order by l.health desc, t.id limit ${limit}`.execute(
    db,
  )
  return rows
}

/**
 * Devices that are silent or below the threshold of their group, those with the smallest share first, and how many there are.
 * Needs twins, devices and live rows.
 */
export async function listQuiet(
  db: Executor,
  { id, from, where }: Members,
  { groupId, silentBefore, limit }: { groupId: number; silentBefore: Date; limit: number },
): Promise<{ items: DeviceRow[]; total: number }> {
  const { rows } = await sql<DeviceRow & { total: number }>`
    select t.title, d.external_id as identifier, l.health, l.last_seen as "lastSeen", w.received::float8 as received,
      (w.expected * w.window_hours / 24)::float8 as expected, count(*) over ()::int as total
    from ${from} left join smart_group_lows w on w.twin_id = ${id} and w.group_id = ${groupId}
    where ${where} and (w.twin_id is not null or ${isSilent(silentBefore)})
    order by w.received / nullif(w.expected, 0) nulls last, l.last_seen nulls first, t.id limit ${limit}`.execute(
    db,
  )
  return { items: rows, total: rows[0]?.total ?? 0 }
}
