import type { JsonValue } from '@leitstand/contract/common'
import type { HealthConfig, HealthEnd } from '@leitstand/contract/health'
import { type RawBuilder, sql } from 'kysely'
import { int4Array, textArray, timeArray } from '../../platform/db/arrays.ts'
import type { Executor } from '../../platform/db/index.ts'
import { setHealth } from '../devices/index.ts'
import { advanceSync, endFinishedSyncs, type HealthEntryInfo } from '../drivers/index.ts'
import { touchObjects } from '../twins/index.ts'
import type { HealthState, OpenPeriod } from './step.ts'

/** Short form of the findings of a device in a batch, used to select the devices that may change. */
export interface Hint {
  deviceId: number
  /** key of the configuration */
  config: string | null
  on: ReadonlySet<string>
  off: ReadonlySet<string>
  /** when the first entry becomes too old, based on these packets */
  due: Date | null
}

export interface LiveRow {
  twin_id: number
  evaluated_at: Date | null
  health_config: string | null
  health_active: string[] | null
  health_due: Date | null
}

/**
 * Statement that finds and locks the devices whose health may change; usually there are none. Devices that
 * have been disabled are left out.
 */
export function findConcerned(hints: readonly Hint[]): RawBuilder<LiveRow> {
  const words = (entries: ReadonlySet<string>): string => [...entries].join(' ')
  return sql<LiveRow>`
    /* prepared: health.findConcerned */
    select l.twin_id, l.evaluated_at, l.health_config, l.health_active, l.health_due
    from unnest(${int4Array(hints.map(({ deviceId }) => deviceId))}::int4[],
      ${textArray(hints.map(({ config }) => config))}::text[], ${textArray(hints.map(({ on }) => words(on)))}::text[],
      ${textArray(hints.map(({ off }) => words(off)))}::text[],
      ${timeArray(hints.map(({ due }) => due))}::timestamptz[]) as h (twin_id, config, said_on, said_off, due)
    join device_live l on l.twin_id = h.twin_id
    where (l.evaluated_at is null or l.health_config is distinct from h.config
        or (h.said_on <> '' and not coalesce(l.health_active, '{}') @> string_to_array(h.said_on, ' '))
        or (l.health_active is not null and l.health_active && string_to_array(h.said_off, ' '))
        or (h.due is not null and (l.health_due is null or l.health_due > h.due)))
      and not (select t.disabled from twins t where t.id = l.twin_id)
    order by l.twin_id
    for update of l`
}

/** Open periods and ignored entries of a device. */
export interface Entries {
  open: Map<string, OpenPeriod>
  ignored: Set<string>
}

/** Loads `Entries` by device, including devices without entries. */
export async function loadEntries(db: Executor, deviceIds: readonly number[]): Promise<Map<number, Entries>> {
  const { rows } = await sql<{
    twin_id: number
    open: (Omit<HealthEntryInfo, 'category'> & {
      category: HealthEntryInfo['category']
      entry: string
      since: string
    })[]
    ignored: string[]
  }>`
    select d.twin_id,
      array(select json_build_object('entry', entry, 'category', category, 'type', type, 'description', description,
          'since', since) from device_health_log where twin_id = d.twin_id and until is null) as open,
      array(select identifier from device_health_ignored where twin_id = d.twin_id) as ignored
    from unnest(${int4Array(deviceIds)}::int4[]) as d (twin_id)`.execute(db)
  return new Map(
    rows.map(({ twin_id, open, ignored }) => [
      twin_id,
      {
        open: new Map(
          open.map(({ entry, since, ...info }) => [entry, { ...info, since: new Date(since) }] as const),
        ),
        ignored: new Set(ignored),
      },
    ]),
  )
}

/** The health state for `step.ts` from a device's row and open periods. */
export const toState = (row: LiveRow, open: ReadonlyMap<string, OpenPeriod>): HealthState => ({
  evaluatedAt: row.evaluated_at,
  config: row.health_config,
  active: new Set(row.health_active ?? []),
  due: row.health_due,
  open,
})

/** Statement that writes states of devices, without their periods. */
export function writeStates(
  states: readonly { deviceId: number; state: HealthState; health: number }[],
): RawBuilder<unknown> {
  return setHealth(
    states.map(({ deviceId, health, state: { evaluatedAt, config, active, due } }) => {
      return { deviceId, health, evaluatedAt, config, active: [...active], due }
    }),
  )
}

export interface EndedPeriod {
  deviceId: number
  entry: string
  until: Date
  end: HealthEnd
}

/** Statement that ends open periods. */
export function endPeriods(periods: readonly EndedPeriod[]): RawBuilder<unknown> {
  return sql`
    /* prepared: health.endPeriods */
    update device_health_log g set until = e.until, ended_by = e.ended_by
    from unnest(${int4Array(periods.map(({ deviceId }) => deviceId))}::int4[],
      ${textArray(periods.map(({ entry }) => entry))}::text[],
      ${timeArray(periods.map(({ until }) => until))}::timestamptz[],
      ${textArray(periods.map(({ end }) => end))}::text[]) as e (twin_id, entry, until, ended_by)
    where g.twin_id = e.twin_id and g.entry = e.entry and g.until is null`
}

export interface NewPeriod extends HealthEntryInfo {
  deviceId: number
  entry: string
  since: Date
  until: Date | null
  end: HealthEnd | null
}

/** Statement that inserts periods. Fails if a device has an open one of the same entry. */
export function insertPeriods(periods: readonly NewPeriod[]): RawBuilder<unknown> {
  const column = <K extends keyof NewPeriod>(key: K) => periods.map((period) => period[key])
  return sql`
    /* prepared: health.insertPeriods */
    insert into device_health_log (twin_id, entry, category, type, description, since, until, ended_by)
    select * from unnest(${int4Array(column('deviceId'))}::int4[], ${textArray(column('entry'))}::text[],
      ${textArray(column('category'))}::text[], ${textArray(column('type'))}::text[],
      ${textArray(column('description'))}::text[], ${timeArray(column('since'))}::timestamptz[],
      ${timeArray(column('until'))}::timestamptz[], ${textArray(column('end'))}::text[])`
}

/** Last values of state keys. */
export type Memory = Record<string, JsonValue>

/** State of the expressions of a device before a batch. */
export interface Before {
  memory: Memory
  evaluatedAt: Date | null
}

/** Reads the expression memory of devices; `lock` prevents lost updates. */
export async function readMemories(
  db: Executor,
  deviceIds: readonly number[],
  options: { lock?: boolean } = {},
): Promise<Map<number, Before>> {
  const { rows } = await sql<{ twin_id: number; memory: Memory | null; evaluated_at: Date | null }>`
    select twin_id, health_memory as memory, evaluated_at from device_live
    where twin_id = any(${int4Array(deviceIds)}::int4[]) order by twin_id ${options.lock ? sql`for update` : sql``}`.execute(
    db,
  )
  return new Map(
    rows.map((row) => [row.twin_id, { memory: row.memory ?? {}, evaluatedAt: row.evaluated_at }]),
  )
}

/** Statement that adds devices to the refresh list. */
export function noteRefreshes(deviceIds: readonly number[]): RawBuilder<unknown> {
  return sql`
    insert into device_health_refreshes (twin_id) select unnest(${int4Array(deviceIds)}::int4[])
    on conflict do nothing`
}

/** A device with everything its health is evaluated from. */
export interface DeviceToJudge extends LiveRow {
  accountId: number
  disabled: boolean
  lastSeen: Date | null
  memory: Memory | null
  /** own configuration; null: uses that of its driver */
  own: { config: HealthConfig; revision: number; fromTemplate: boolean } | null
  /** whether its template sets the configuration */
  fixed: boolean
  driver: { id: number; number: number; config: HealthConfig } | null
}

type JudgeRow = LiveRow & {
  account_id: number
  disabled: boolean
  last_seen: Date | null
  health_memory: Memory | null
  own_config: HealthConfig | null
  own_revision: number | null
  own_from_template: boolean | null
  fixed: boolean
  driver_id: number | null
  driver_number: number | null
  driver_config: HealthConfig | null
}

const judgeColumns = sql`l.twin_id, l.evaluated_at, l.health_config, l.health_active, l.health_due, l.last_seen,
  l.health_memory, t.account_id, t.disabled, o.config as own_config, o.revision as own_revision,
  o.from_template as own_from_template, d.template_id is not null as fixed, v.driver_id,
  v.number as driver_number, v.health as driver_config`

const judgeJoins = sql`join twins t on t.id = l.twin_id
  join virtual_devices d on d.twin_id = l.twin_id
  left join device_health_configs o on o.twin_id = l.twin_id
  left join drivers r on r.id = d.driver_id
  left join driver_versions v on v.driver_id = r.id and v.number = coalesce(d.driver_version, driver_version_in(r.id, d.account_id))`

function toDevice(row: JudgeRow): DeviceToJudge {
  const { account_id, last_seen, health_memory, own_config, own_revision, own_from_template, ...rest } = row
  const { driver_id, driver_number, driver_config, disabled, fixed, ...live } = rest
  return {
    ...live,
    disabled,
    fixed,
    accountId: account_id,
    lastSeen: last_seen,
    memory: health_memory,
    own:
      own_config === null
        ? null
        : {
            config: own_config,
            revision: own_revision as number,
            fromTemplate: own_from_template ?? false,
          },
    driver:
      driver_id === null
        ? null
        : {
            id: driver_id,
            number: driver_number as number,
            config: driver_config as HealthConfig,
          },
  }
}

/**
 * Loads and locks devices with everything their health is evaluated from. Skips devices locked by other
 * transactions, because waiting while holding locks could deadlock with storing packets.
 */
export async function lockDevices(tx: Executor, deviceIds: readonly number[]): Promise<DeviceToJudge[]> {
  const { rows } = await sql<JudgeRow>`
    select ${judgeColumns} from device_live l ${judgeJoins}
    where l.twin_id = any(${int4Array(deviceIds)}::int4[]) order by l.twin_id for update of l skip locked`.execute(
    tx,
  )
  return rows.map(toDevice)
}

/** Like `lockDevices`, without locks. */
export async function readDevices(db: Executor, deviceIds: readonly number[]): Promise<DeviceToJudge[]> {
  const { rows } = await sql<JudgeRow>`
    select ${judgeColumns} from device_live l ${judgeJoins}
    where l.twin_id = any(${int4Array(deviceIds)}::int4[]) order by l.twin_id`.execute(db)
  return rows.map(toDevice)
}

/** Locks devices that are due, oldest first; skips those locked by other transactions. */
export async function takeDue(tx: Executor, now: Date, limit: number): Promise<DeviceToJudge[]> {
  const { rows } = await sql<JudgeRow>`
    select ${judgeColumns} from (${dueDevices(now, limit)}) as l ${judgeJoins}`.execute(tx)
  return rows.map(toDevice)
}

/** Exported for the test of its query plan. */
export function dueDevices(now: Date, limit: number): RawBuilder<unknown> {
  return sql`
    select * from device_live where health_due <= ${now} order by health_due, twin_id
    limit ${limit} for update skip locked`
}

/** The next devices of the refresh list after a device. */
export async function nextRefreshes(db: Executor, after: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ twin_id: number }>`
    select twin_id from device_health_refreshes where twin_id > ${after} order by twin_id limit ${limit}`.execute(
    db,
  )
  return rows.map(({ twin_id }) => twin_id)
}

/** Takes devices from the refresh list. @returns those that were on it, in order */
export async function takeRefreshes(tx: Executor, deviceIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ twin_id: number }>`
    delete from device_health_refreshes where twin_id in (
      select twin_id from device_health_refreshes where twin_id = any(${int4Array(deviceIds)}::int4[])
      for update skip locked)
    returning twin_id`.execute(tx)
  return rows.map(({ twin_id }) => twin_id).sort((a, b) => a - b)
}

/** The last value of a variable of a device. */
export interface LastValue {
  variable: string
  value: JsonValue
  time: Date
}

/** Last values of the variables of devices from their states, by device. */
export async function readLastValues(
  db: Executor,
  deviceIds: readonly number[],
): Promise<Map<number, LastValue[]>> {
  const { rows } = await sql<{
    twin_id: number
    variable: string
    time: Date
    num: number | null
    txt: string | null
    bool: boolean | null
    json: JsonValue
  }>`
    select s.twin_id, coalesce(s.variable, s.key) as variable, c.time, c.num, c.txt, c.bool, c.json
    from states s join state_current c on c.state_id = s.id
    where s.twin_id = any(${int4Array(deviceIds)}::int4[]) and s.source = 'connector' and s.connector_id is null`.execute(
    db,
  )
  return Map.groupBy(
    rows.map((row) => ({ ...row, value: row.num ?? row.bool ?? row.txt ?? row.json })),
    ({ twin_id }) => twin_id,
  )
}

/** Whether refreshes or driver syncs are pending. */
export async function hasWaiting(db: Executor): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`
    select exists (select from device_health_refreshes) or exists (select from driver_health_syncs) as waits`.execute(
    db,
  )
  return rows[0]?.waits ?? false
}

/**
 * Adds the next devices of a driver whose configuration is applied to all devices to the refresh list.
 * Devices in the requested scopes lose their own configuration, which increments their version.
 * @returns false if there is no such driver
 */
export async function spreadSync(tx: Executor, now: Date, limit: number): Promise<boolean> {
  await endFinishedSyncs(tx)
  const { rows: syncs } = await sql<{ driver_id: number; after_twin_id: number; scopes: number[] }>`
    select driver_id, after_twin_id, take_over_scopes as scopes from driver_health_syncs
    order by driver_id limit 1 for update`.execute(tx)
  const sync = syncs[0]
  if (sync === undefined) return false
  const { rows } = await sql<{ twin_id: number }>`
    select twin_id from virtual_devices where driver_id = ${sync.driver_id} and twin_id > ${sync.after_twin_id}
    order by twin_id limit ${limit}`.execute(tx)
  const ids = rows.map(({ twin_id }) => twin_id)
  if (sync.scopes.length > 0) await deleteConfigs(tx, ids, now, sync.scopes)
  if (ids.length > 0) await noteRefreshes(ids).execute(tx)
  await advanceSync(tx, sync.driver_id, ids.length < limit ? null : (ids.at(-1) ?? null))
  return true
}

async function deleteConfigs(
  tx: Executor,
  deviceIds: readonly number[],
  now: Date,
  scopeIds: readonly number[],
): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    delete from device_health_configs o using twins t
    where t.id = o.twin_id and not o.from_template and o.twin_id = any(${int4Array(deviceIds)}::int4[])
      and t.scope_id = any(${int4Array(scopeIds)}::int4[])
    returning o.twin_id as id`.execute(tx)
  await touchObjects(
    tx,
    rows.map(({ id }) => id),
    now,
  )
}

/** Sets or deletes the own configuration of a device and increments the version of the device. */
export async function writeConfig(
  tx: Executor,
  deviceId: number,
  config: HealthConfig | null,
  now: Date,
): Promise<void> {
  if (config === null) await sql`delete from device_health_configs where twin_id = ${deviceId}`.execute(tx)
  else {
    await sql`
      insert into device_health_configs (twin_id, config, updated_at)
      values (${deviceId}, ${JSON.stringify(config)}::jsonb, ${now})
      on conflict (twin_id) do update set config = excluded.config, updated_at = excluded.updated_at,
        revision = nextval('device_health_revisions')`.execute(tx)
  }
  await touchObjects(tx, [deviceId], now)
}

/** Stores who ignores an entry and since when; null: the entry counts again. */
export async function writeIgnored(
  tx: Executor,
  deviceId: number,
  identifier: string,
  ignored: { by: string; at: Date } | null,
): Promise<void> {
  if (ignored === null) {
    await sql`
      delete from device_health_ignored where twin_id = ${deviceId} and identifier = ${identifier}`.execute(
      tx,
    )
    return
  }
  await sql`
    insert into device_health_ignored (twin_id, identifier, ignored_by, ignored_at)
    values (${deviceId}, ${identifier}, ${ignored.by}, ${ignored.at}) on conflict do nothing`.execute(tx)
}

/** Ignored entries with user and time, by identifier. */
export async function listIgnored(
  db: Executor,
  deviceId: number,
): Promise<Map<string, { by: string; at: Date }>> {
  const rows = await db
    .selectFrom('device_health_ignored')
    .select(['identifier', 'ignored_by', 'ignored_at'])
    .where('twin_id', '=', deviceId)
    .execute()
  return new Map(rows.map((row) => [row.identifier, { by: row.ignored_by, at: row.ignored_at }]))
}

export interface PeriodRow extends HealthEntryInfo {
  id: number
  entry: string
  since: Date
  until: Date | null
  end: HealthEnd | null
}

/** Periods of a device, newest first. */
export async function listPeriods(
  db: Executor,
  deviceId: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: PeriodRow[]; total: number }> {
  const { rows } = await sql<PeriodRow>`
    select id, entry, category, type, description, since, until, ended_by as "end"
    from device_health_log where twin_id = ${deviceId}
    order by since desc, id desc limit ${limit} offset ${offset}`.execute(db)
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from device_health_log where twin_id = ${deviceId}`.execute(db)
  return { rows, total: counted.rows[0]?.total ?? 0 }
}

/** Advisory lock of the health clock: one transaction at a time across all processes. */
const healthLock = 7_211_019

/** Takes the lock for this transaction, or returns false when another one has it. */
export async function takeLead(tx: Executor): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${healthLock}) as taken`.execute(tx)
  return rows[0]?.taken ?? false
}

/** The devices that exist. */
export async function existing(tx: Executor, ids: readonly number[]): Promise<number[]> {
  const rows = await tx.selectFrom('device_live').select('twin_id').where('twin_id', 'in', ids).execute()
  return rows.map(({ twin_id: id }) => id)
}
