import type { JsonValue } from '@leitstand/contract/common'
import type { ErrorCode } from '@leitstand/contract/errors'
import type { ValueType } from '@leitstand/contract/states'
import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'

/** What the pipeline knows about a virtual device. */
export interface DeviceRecord {
  id: number
  connectorId: number
  externalId: string
  accountId: number
  disabled: boolean
  driver: DriverRecord | null
  /** state id by variable, of the states that listen to the connector */
  states: Map<string, number>
  /** all keys of its states, whatever their source */
  keys: Set<string>
}

export interface DriverRecord {
  driverId: number
  number: number
  script: string
  accountId: number
}

/** A state of a twin that listens to an identifier of a connector. */
export interface ListenerRecord {
  stateId: number
  connectorId: number
  key: string
  variable: string | null
}

/** Devices of a connector by external id. */
export async function findDevices(
  db: Executor,
  addresses: readonly { connectorId: number; key: string }[],
): Promise<Omit<DeviceRecord, 'driver'>[]> {
  if (addresses.length === 0) return []
  const { rows } = await sql<{
    id: number
    connector_id: number
    external_id: string
    account_id: number
    disabled: boolean
    state_ids: number[] | null
    state_keys: string[] | null
    variables: (string | null)[] | null
  }>`
    select t.id, d.connector_id, d.external_id, t.account_id, t.disabled, s.state_ids, s.state_keys, s.variables
    from unnest(${addresses.map((address) => address.connectorId)}::int[], ${addresses.map((address) => address.key)}::text[])
      as wanted (connector_id, external_id)
    join virtual_devices d on d.connector_id = wanted.connector_id and d.external_id = wanted.external_id
    join twins t on t.id = d.twin_id
    left join lateral (
      select array_agg(id) as state_ids, array_agg(key) as state_keys,
        array_agg(case when source = 'connector' then coalesce(variable, key) end) as variables
      from states where twin_id = t.id
    ) as s on true`.execute(db)
  return rows.map((row) => ({
    id: row.id,
    connectorId: row.connector_id,
    externalId: row.external_id,
    accountId: row.account_id,
    disabled: row.disabled,
    states: new Map(
      (row.variables ?? []).flatMap((variable, index): [string, number][] =>
        variable === null ? [] : [[variable, row.state_ids?.[index] as number]],
      ),
    ),
    keys: new Set(row.state_keys ?? []),
  }))
}

/** The driver version of each device that live traffic uses: the fixed one, else the published one. */
export async function findDrivers(
  db: Executor,
  deviceIds: readonly number[],
): Promise<Map<number, DriverRecord>> {
  if (deviceIds.length === 0) return new Map()
  const { rows } = await sql<{
    twin_id: number
    driver_id: number
    number: number
    script: string
    account_id: number
  }>`
    select d.twin_id, v.driver_id, v.number, v.script, r.account_id
    from virtual_devices d
    join drivers r on r.id = d.driver_id and r.parser_kind = 'function'
    join driver_versions v on v.driver_id = r.id and v.number = coalesce(d.driver_version, r.published_version)
    where d.twin_id = any(${[...deviceIds]}::int[])`.execute(db)
  return new Map(
    rows.map((row) => [
      row.twin_id,
      { driverId: row.driver_id, number: row.number, script: row.script, accountId: row.account_id },
    ]),
  )
}

/** States of twins that listen to one of these identifiers of a connector. */
export async function findListeners(
  db: Executor,
  addresses: readonly { connectorId: number; key: string }[],
): Promise<ListenerRecord[]> {
  if (addresses.length === 0) return []
  const { rows } = await sql<{
    id: number
    connector_id: number
    identifier: string
    variable: string | null
  }>`
    select s.id, s.connector_id, s.identifier, s.variable
    from unnest(${addresses.map((address) => address.connectorId)}::int[], ${addresses.map((address) => address.key)}::text[])
      as wanted (connector_id, identifier)
    join states s on s.connector_id = wanted.connector_id and s.identifier = wanted.identifier
    join twins t on t.id = s.twin_id and not t.disabled`.execute(db)
  return rows.map((row) => ({
    stateId: row.id,
    connectorId: row.connector_id,
    key: row.identifier,
    variable: row.variable,
  }))
}

/** States with source data routing of the twins of an account that have a reference id. */
export async function findRouted(
  db: Executor,
  wanted: readonly { accountId: number; name: string; value: string; variable: string }[],
): Promise<{ stateId: number; accountId: number; name: string; value: string; variable: string }[]> {
  if (wanted.length === 0) return []
  const { rows } = await sql<{ id: number; account_id: number; name: string; value: string; key: string }>`
    select s.id, w.account_id, w.name, w.value, s.key
    from unnest(${wanted.map((each) => each.accountId)}::int[], ${wanted.map((each) => each.name)}::text[],
      ${wanted.map((each) => each.value)}::text[], ${wanted.map((each) => each.variable)}::text[])
      as w (account_id, name, value, variable)
    join twin_references r on r.account_id = w.account_id and r.name = w.name and r.value = w.value
    join twins t on t.id = r.twin_id and not t.disabled
    join states s on s.twin_id = t.id and s.key = w.variable and s.source = 'datarouting'`.execute(db)
  return rows.map((row) => ({
    stateId: row.id,
    accountId: row.account_id,
    name: row.name,
    value: row.value,
    variable: row.key,
  }))
}

/** Months after which an account's values go, its own setting or that of the next parent that has one. */
export async function readRetention(
  db: Executor,
  accountIds: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; months: number | null }>`
    with recursive up as (
      select a.id as origin, a.id, a.parent_id, a.retention_months, 0 as depth from accounts a
      where a.id = any(${[...accountIds]}::int[])
      union all
      select up.origin, p.id, p.parent_id, p.retention_months, up.depth + 1 from up join accounts p on p.id = up.parent_id
      where up.retention_months is null
    )
    select distinct on (origin) origin as id, retention_months as months from up
    where retention_months is not null order by origin, depth`.execute(db)
  return new Map(rows.map((row) => [row.id, row.months ?? 24]))
}

/**
 * Remembers keys of packets, so that a second delivery within two days is recognised.
 * @returns for each packet whether it is new
 */
export async function rememberKeys(
  db: Executor,
  day: string,
  previousDay: string,
  packets: readonly { deviceId: number; key: string | null }[],
): Promise<boolean[]> {
  const keyed = packets.filter((packet) => packet.key !== null)
  if (keyed.length === 0) return packets.map(() => true)
  const { rows } = await sql<{ device_id: number; key: string }>`
    insert into packet_keys (day, device_id, key)
    select ${day}::date, w.device_id, w.key
    from (select distinct device_id, key
      from unnest(${keyed.map((packet) => packet.deviceId)}::int[], ${keyed.map((packet) => packet.key)}::bigint[])
        as k (device_id, key)) as w
    where not exists (
      select from packet_keys p where p.day = ${previousDay}::date and p.device_id = w.device_id and p.key = w.key)
    order by w.device_id, w.key
    on conflict do nothing
    returning device_id, key::text as key`.execute(db)
  const fresh = new Set(rows.map((row) => `${row.device_id} ${row.key}`))
  return packets.map((packet) => packet.key === null || fresh.delete(`${packet.deviceId} ${packet.key}`))
}

/** Makes the partition of a day's packet keys and drops those older than the day before. */
export async function rollPacketKeys(
  db: Executor,
  days: readonly string[],
  dropBefore: string,
): Promise<void> {
  for (const day of days) await sql`select ensure_day_partition('packet_keys', ${day}::date)`.execute(db)
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'packet_keys'::regclass and c.relname < ${`packet_keys_${dropBefore.replaceAll('-', '_')}`}`.execute(
    db,
  )
  for (const { name } of rows) await sql`drop table if exists ${sql.table(name)}`.execute(db)
}

export interface PacketRow {
  receivedAt: Date
  time: Date
  accountId: number
  connectorId: number
  deviceId: number
  fPort: number | null
  fCnt: number | null
  payload: string
  encoding: 'hex' | 'json'
  meta: Record<string, JsonValue>
  variables: Record<string, JsonValue> | null
  error: { code: ErrorCode; message: string } | null
  driverId: number | null
  driverVersion: number | null
  durationUs: number
}

/** Stores packets; answers their ids in the same order. */
export async function insertPackets(db: Executor, packets: readonly PacketRow[]): Promise<number[]> {
  if (packets.length === 0) return []
  const column = <K extends keyof PacketRow>(key: K) => packets.map((packet) => packet[key])
  const json = (key: 'meta' | 'variables' | 'error') =>
    packets.map((packet) => (packet[key] === null ? null : JSON.stringify(packet[key])))
  const { rows } = await sql<{ id: number }>`
    insert into packets (received_at, time, account_id, connector_id, device_id, f_port, f_cnt, payload, encoding,
      meta, variables, error, driver_id, driver_version, duration_us)
    select received_at, time, account_id, connector_id, device_id, f_port, f_cnt, payload, encoding,
      meta::jsonb, variables::jsonb, error::jsonb, driver_id, driver_version, duration_us
    from unnest(${column('receivedAt')}::timestamptz[], ${column('time')}::timestamptz[], ${column('accountId')}::int[],
      ${column('connectorId')}::int[], ${column('deviceId')}::int[], ${column('fPort')}::smallint[],
      ${column('fCnt')}::bigint[], ${column('payload')}::text[], ${column('encoding')}::text[], ${json('meta')}::text[],
      ${json('variables')}::text[], ${json('error')}::text[], ${column('driverId')}::int[],
      ${column('driverVersion')}::int[], ${column('durationUs')}::int[]) with ordinality
      as p (received_at, time, account_id, connector_id, device_id, f_port, f_cnt, payload, encoding, meta, variables,
        error, driver_id, driver_version, duration_us, n)
    order by n
    returning id`.execute(db)
  return rows.map((row) => row.id)
}

/** Counts packets of devices and notes when they were last seen and what went wrong last. */
export async function touchDevices(
  db: Executor,
  devices: readonly {
    deviceId: number
    lastSeen: Date
    packets: number
    error: { code: string; message: string } | null
  }[],
): Promise<void> {
  if (devices.length === 0) return
  const errors = devices.map(({ error }) => (error === null ? null : JSON.stringify(error)))
  await sql`
    insert into device_live as l (twin_id, last_seen, packets, last_error, health)
    select twin_id, last_seen, packets, error::jsonb, 0
    from unnest(${devices.map((each) => each.deviceId)}::int[], ${devices.map((each) => each.lastSeen)}::timestamptz[],
      ${devices.map((each) => each.packets)}::bigint[], ${errors}::text[]) as t (twin_id, last_seen, packets, error)
    order by twin_id
    on conflict (twin_id) do update set
      last_seen = greatest(l.last_seen, excluded.last_seen), packets = l.packets + excluded.packets,
      last_error = excluded.last_error, health = case when l.health = 3 then 0 else l.health end`.execute(db)
}

/** Creates states for variables that were not known before; those that exist are left alone. Answers the new ones. */
export async function insertStates(
  db: Executor,
  states: readonly {
    deviceId: number
    variable: string
    key: string
    title: string
    unit: string
    valueType: ValueType
  }[],
): Promise<{ deviceId: number; variable: string; stateId: number }[]> {
  if (states.length === 0) return []
  const { rows } = await sql<{ id: number; twin_id: number; variable: string }>`
    insert into states (twin_id, key, title, unit, source, variable, source_settings, value_type, position)
    select twin_id, key, title, unit, 'connector', variable, jsonb_build_object('variable', variable), value_type,
      coalesce((select max(position) + 1 from states s where s.twin_id = n.twin_id), 0) + row_number() over (partition by twin_id) - 1
    from unnest(${states.map((state) => state.deviceId)}::int[], ${states.map((state) => state.key)}::text[],
      ${states.map((state) => state.title)}::text[], ${states.map((state) => state.unit)}::text[],
      ${states.map((state) => state.variable)}::text[], ${states.map((state) => state.valueType)}::text[])
      as n (twin_id, key, title, unit, variable, value_type)
    on conflict (twin_id, key) do nothing
    returning id, twin_id, variable`.execute(db)
  return rows.map((row) => ({ deviceId: row.twin_id, variable: row.variable, stateId: row.id }))
}

export interface DeadLetter {
  receivedAt: Date
  accountId: number
  connectorId: number
  deviceId: number | null
  identifier: string | null
  reason: ErrorCode
  detail: string
  body: string
}

/** Keeps messages that could not be used. */
export async function insertDeadLetters(db: Executor, letters: readonly DeadLetter[]): Promise<void> {
  if (letters.length === 0) return
  const column = <K extends keyof DeadLetter>(key: K) => letters.map((letter) => letter[key])
  await sql`
    insert into dead_letters (received_at, account_id, connector_id, device_id, identifier, reason, detail, body)
    select * from unnest(${column('receivedAt')}::timestamptz[], ${column('accountId')}::int[],
      ${column('connectorId')}::int[], ${column('deviceId')}::int[], ${column('identifier')}::text[],
      ${column('reason')}::text[], ${column('detail')}::text[], ${column('body')}::text[])`.execute(db)
}

/** Deletes the oldest dead letters beyond the bound of each connector. */
export async function trimDeadLetters(db: Executor, keep: number): Promise<void> {
  await sql`
    with bounds as materialized (
      select c.id as connector_id, (
        select l.id from dead_letters l where l.connector_id = c.id order by l.id desc offset ${keep} limit 1) as last_id
      from connectors c)
    delete from dead_letters d using bounds b
    where b.last_id is not null and d.connector_id = b.connector_id and d.id <= b.last_id`.execute(db)
}

/** Titles and units the drivers give their variables. */
export async function readVariableTitles(
  db: Executor,
  drivers: readonly { driverId: number; number: number }[],
): Promise<Map<string, { title: string; unit: string }>> {
  if (drivers.length === 0) return new Map()
  const { rows } = await sql<{ driver_id: number; number: number; key: string; title: string; unit: string }>`
    select v.driver_id, v.number, x.key, x.title, x.unit
    from unnest(${drivers.map((driver) => driver.driverId)}::int[], ${drivers.map((driver) => driver.number)}::int[])
      as w (driver_id, number)
    join driver_versions v on v.driver_id = w.driver_id and v.number = w.number,
    lateral jsonb_to_recordset(v.variables) as x (key text, title text, unit text)`.execute(db)
  return new Map(
    rows.map((row) => [
      `${row.driver_id} ${row.number} ${row.key}`,
      { title: row.title ?? '', unit: row.unit ?? '' },
    ]),
  )
}
