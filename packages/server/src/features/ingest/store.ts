import { retentionMonthsDefault } from '@leitstand/contract/accounts'
import type { JsonValue } from '@leitstand/contract/common'
import type { PacketFault } from '@leitstand/contract/errors'
import type { HealthConfig } from '@leitstand/contract/health'
import type { Calculated, Parser } from '@leitstand/contract/parsers'
import { type RawBuilder, sql } from 'kysely'
import {
  int2Array,
  int4Array,
  int8Array,
  jsonArray,
  jsonbArray,
  textArray,
  timeArray,
} from '../../platform/db/arrays.ts'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { type HealthPlan, type ParserSecret, planOf, readParser, remoteKinds } from '../drivers/index.ts'
import { driverKey, ownKey } from '../health/index.ts'
import { viewOf } from '../objects/index.ts'
import { reopenDays } from './days/store.ts'
import type { StoredPacket } from './stored.ts'

/** Data of a virtual device for the pipeline. */
export interface DeviceRecord {
  id: number
  connectorId: number
  externalId: string
  accountId: number
  disabled: boolean
  driver: DriverRecord | null
  /** own health plan; undefined: uses that of its driver */
  ownHealth: HealthPlan | null | undefined
  /** state id by variable, of the states that listen to the connector */
  states: Map<string, number>
  /** all keys of its states, whatever their source */
  keys: Set<string>
  /** its states are defined by a template */
  isLinked: boolean
}

export interface DriverRecord {
  driverId: number
  number: number
  parser: Parser
  script: string
  calculated: readonly Calculated[]
  parserSecret: ParserSecret | null
  /** health plan of its devices */
  health: HealthPlan | null
  /** account of its author */
  accountId: number
  /** this version is delivered with the platform */
  delivered: boolean
}

/** A state of a twin that listens to an identifier of a connector. */
export interface ListenerRecord {
  stateId: number
  connectorId: number
  key: string
  variable: string | null
}

/**
 * Devices of a connector by external id.
 * @param share caches health plans shared by devices of a template
 */
export async function findDevices(
  db: Executor,
  addresses: readonly { connectorId: number; key: string }[],
  share: (key: string, make: () => HealthPlan | null) => HealthPlan | null,
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
    health: HealthConfig | null
    health_revision: number | null
    is_linked: boolean
  }>`
    select t.id, d.connector_id, d.external_id, t.account_id, t.disabled, s.state_ids, s.state_keys, s.variables,
      h.config as health, h.revision as health_revision, d.template_id is not null as is_linked
    from unnest(${addresses.map((address) => address.connectorId)}::int[], ${addresses.map((address) => address.key)}::text[])
      as wanted (connector_id, external_id)
    join virtual_devices d on d.connector_id = wanted.connector_id and d.external_id = wanted.external_id
    join twins t on t.id = d.twin_id
    left join device_health_configs h on h.twin_id = t.id
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
    isLinked: row.is_linked,
    ownHealth:
      row.health === null ? undefined : planOfDevice(row.health, row.health_revision as number, share),
  }))
}

/** Revisions below zero are from templates (`templates/apply.store.ts`) and shared by many devices. */
function planOfDevice(
  config: HealthConfig,
  revision: number,
  share: (key: string, make: () => HealthPlan | null) => HealthPlan | null,
): HealthPlan | null {
  const key = ownKey(revision)
  const make = () => planOf(config, key)
  return revision < 0 ? share(key, make) : make()
}

/** The driver version of each device for live traffic: the fixed one, else the current one of its account. */
export async function findDriverVersions(
  db: Executor,
  deviceIds: readonly number[],
): Promise<Map<number, { driverId: number; number: number }>> {
  if (deviceIds.length === 0) return new Map()
  const { rows } = await sql<{ twin_id: number; driver_id: number; number: number }>`
    select d.twin_id, d.driver_id, n.number
    from virtual_devices d
    cross join lateral (
      select coalesce(d.driver_version, driver_version_in(d.driver_id, d.account_id)) as number) as n
    where d.twin_id = any(${[...deviceIds]}::int[]) and n.number is not null`.execute(db)
  return new Map(rows.map((row) => [row.twin_id, { driverId: row.driver_id, number: row.number }]))
}

/** Versions of drivers; those that do not exist are missing. */
export async function readDrivers(
  db: Executor,
  versions: readonly { driverId: number; number: number }[],
): Promise<DriverRecord[]> {
  if (versions.length === 0) return []
  const { rows } = await sql<{
    driver_id: number
    number: number
    parser: unknown
    script: string
    calculated: unknown
    parser_secret: ParserSecret | null
    health: HealthConfig
    account_id: number
    delivered: boolean
  }>`
    select v.driver_id, v.number, v.parser, v.script, v.calculated, v.health, r.parser_secret, r.account_id,
      v.delivered and r.library_key is not null as delivered
    from (select distinct driver_id, number
      from unnest(${versions.map(({ driverId }) => driverId)}::int[], ${versions.map(({ number }) => number)}::int[])
        as u (driver_id, number)) as w
    join driver_versions v on v.driver_id = w.driver_id and v.number = w.number
    join drivers r on r.id = v.driver_id`.execute(db)
  return rows.map((row) => ({
    driverId: row.driver_id,
    number: row.number,
    script: row.script,
    ...readParser(row),
    parserSecret: row.parser_secret,
    health: planOf(row.health, driverKey(row.driver_id, row.number)),
    accountId: row.account_id,
    delivered: row.delivered,
  }))
}

/** Whether any driver uses a remote parser. */
export async function hasRemoteDrivers(db: Executor): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from driver_versions where parser ->> 'kind' = any(${[...remoteKinds]}::text[])) as found`.execute(
    db,
  )
  return rows[0]?.found ?? false
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

/** States with source data routing of the twins with a reference id. */
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

/** Retention of values in months: the setting of the account, or of the nearest ancestor that has one. */
export async function readRetention(
  db: Executor,
  accountIds: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; months: number | null }>`
    /* prepared: ingest.readRetention */
    with recursive up as (
      select a.id as origin, a.id, a.parent_id, a.retention_months, 0 as depth from accounts a
      where a.id = any(${[...accountIds]}::int[])
      union all
      select up.origin, p.id, p.parent_id, p.retention_months, up.depth + 1 from up join accounts p on p.id = up.parent_id
      where up.retention_months is null
    )
    select distinct on (origin) origin as id, retention_months as months from up
    where retention_months is not null order by origin, depth`.execute(db)
  return new Map(rows.map((row) => [row.id, row.months ?? retentionMonthsDefault]))
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
  /** JSON text */
  meta: string
  /** JSON text */
  variables: string | null
  error: PacketFault | null
  driverId: number | null
  driverVersion: number | null
  durationUs: number
}

/**
 * Statement that stores packets.
 * @param withIds whether to return their ids
 * @returns rows with the ids in the same order, or no rows
 */
export function insertPackets(packets: readonly PacketRow[], withIds: boolean): RawBuilder<{ id: number }> {
  const column = <K extends keyof PacketRow>(key: K) => packets.map((packet) => packet[key])
  const errors = packets.map(({ error }) => (error === null ? null : JSON.stringify(error)))
  const name = withIds ? sql.raw('ingest.insertPacketsAnswering') : sql.raw('ingest.insertPackets')
  return sql`
    /* prepared: ${name} */
    insert into packets (received_at, time, account_id, connector_id, device_id, f_port, f_cnt, payload, encoding,
      meta, variables, error, driver_id, driver_version, duration_us)
    select * from unnest(${timeArray(column('receivedAt'))}::timestamptz[], ${timeArray(column('time'))}::timestamptz[],
      ${int4Array(column('accountId'))}::int4[], ${int4Array(column('connectorId'))}::int4[],
      ${int4Array(column('deviceId'))}::int4[], ${int2Array(column('fPort'))}::int2[],
      ${int8Array(column('fCnt'))}::int8[], ${textArray(column('payload'))}::text[],
      ${textArray(column('encoding'))}::text[], ${jsonArray(column('meta'))}::json[],
      ${jsonArray(column('variables'))}::json[], ${jsonbArray(errors)}::jsonb[],
      ${int4Array(column('driverId'))}::int4[], ${int4Array(column('driverVersion'))}::int4[],
      ${int4Array(column('durationUs'))}::int4[])
    ${withIds ? sql`returning id` : sql``}`
}

/** Which of these connectors still exist. */
export async function readPresent(db: Executor, connectorIds: Iterable<number>): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select c.id from ${viewOf('connectors')} c where c.id = any(${[...connectorIds]}::int[])`.execute(db)
  return new Set(rows.map(({ id }) => id))
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

/** Addresses of devices in the directory; deleted devices are missing. */
export async function findAddresses(
  db: Executor,
  deviceIds: readonly number[],
): Promise<{ id: number; connectorId: number; key: string }[]> {
  const { rows } = await sql<{ id: number; connectorId: number; key: string }>`
    select twin_id as id, connector_id as "connectorId", external_id as key from virtual_devices
    where twin_id = ${anyOf(deviceIds)}`.execute(db)
  return rows
}

/** New content of a stored packet. */
export interface PacketContent {
  packet: StoredPacket
  variables: Record<string, JsonValue> | null
  error: PacketFault | null
  driver: { driverId: number; number: number } | null
  durationUs: number
}

/** Stores the new content of packets. */
export async function rewritePackets(tx: Executor, packets: readonly PacketContent[]): Promise<void> {
  if (packets.length === 0) return
  await reopenDays(
    tx,
    packets.map(({ packet }) => packet),
  )
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
  await sql`
    update packets p set variables = w.variables::json, error = w.error::jsonb, driver_id = w.driver_id,
      driver_version = w.driver_version, duration_us = w.duration_us
    from unnest(${packets.map(({ packet }) => packet.deviceId)}::int[],
      ${packets.map(({ packet }) => packet.receivedAt)}::timestamptz[], ${packets.map(({ packet }) => packet.id)}::bigint[],
      ${packets.map(({ variables }) => json(variables))}::text[], ${packets.map(({ error }) => json(error))}::text[],
      ${packets.map(({ driver }) => driver?.driverId ?? null)}::int[],
      ${packets.map(({ driver }) => driver?.number ?? null)}::int[],
      ${packets.map(({ durationUs }) => durationUs)}::int[])
      as w (device_id, received_at, id, variables, error, driver_id, driver_version, duration_us)
    where p.device_id = w.device_id and p.received_at = w.received_at and p.id = w.id`.execute(tx)
}

/** Whether packets of a device were received after a time. */
export async function hasPacketsSince(db: Executor, deviceId: number, since: Date): Promise<boolean> {
  const { rows } = await sql`
    select from packets where device_id = ${deviceId} and received_at > ${since} limit 1`.execute(db)
  return rows.length > 0
}
