import type { Preset } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import type { Fault } from '@leitstand/contract/errors'
import type { Calculated } from '@leitstand/contract/parsers'
import type { Packet, TemplateProperty } from '@leitstand/contract/virtualdevices'
import { sql, type Updateable } from 'kysely'
import type { DB, Executor } from '../../../platform/db/index.ts'
import { offeredTo, versionOfferedTo } from '../../drivers/index.ts'
import { packetsOf, runHooks, viewOf } from '../../objects/index.ts'
import { ints } from '../../twins/index.ts'
import type { Describing } from '../variables.ts'

/** Columns specific to devices. */
export interface DeviceColumns {
  externalId: string
  driverId: number | null
  driverVersion: number | null
  operationalStatus: number
  /** absent: unchanged, or none for a new device */
  groups?: string[] | undefined
}

export interface DeviceRow extends DeviceColumns {
  connectorId: number
  /** the device template it is linked to */
  templateId: number | null
  /** properties required by the template */
  requiredProperties: TemplateProperty[]
  /** message preset of its connector */
  preset: Preset
  packetCount: number
  lastError: Fault | null
}

/** Loads the device part of an existing twin. */
export async function loadDevice(db: Executor, twinId: number): Promise<DeviceRow> {
  const { rows } = await sql<DeviceRow>`
    /* prepared: devices.loadDevice */
    select d.connector_id as "connectorId", d.external_id as "externalId", d.driver_id as "driverId",
      d.driver_version as "driverVersion", d.operational_status as "operationalStatus", d.groups,
      d.template_id as "templateId", coalesce(
        (select p.properties from ${viewOf('deviceTemplates')} p where p.id = d.template_id), '[]') as "requiredProperties",
      (select c.preset from ${viewOf('connectors')} c where c.id = d.connector_id) as preset,
      l.packets as "packetCount", l.last_error as "lastError"
    from virtual_devices d join device_live l on l.twin_id = d.twin_id where d.twin_id = ${twinId}`.execute(
    db,
  )
  const row = rows[0]
  if (!row) throw new Error(`device ${twinId} has no row of its own`)
  return row
}

/**
 * Whether an update changes states of the device: another driver, or leaving its template. False if the device
 * does not exist.
 */
export async function willChangeStates(
  db: Executor,
  twinId: number,
  after: { driverId: number | null; isFree: boolean },
): Promise<boolean> {
  const row = await db
    .selectFrom('virtual_devices')
    .select(['driver_id', 'template_id'])
    .where('twin_id', '=', twinId)
    .executeTakeFirst()
  if (row === undefined) return false
  return row.driver_id !== after.driverId || (after.isFree && row.template_id !== null)
}

/** Inserts the device parts of new devices. The caller must have inserted their twin parts. */
export async function insertDevices(
  tx: Executor,
  connectorId: number,
  devices: readonly (DeviceColumns & { twinId: number })[],
): Promise<void> {
  const rows = devices.map(({ twinId, externalId, driverId, driverVersion, operationalStatus, groups }) => {
    return { twinId, externalId, driverId, driverVersion, operationalStatus, groups }
  })
  await sql`
    /* prepared: devices.insert */
    with inserted as (
      insert into virtual_devices (twin_id, connector_id, external_id, driver_id, driver_version, operational_status, groups)
      select "twinId", ${connectorId}, "externalId", "driverId", "driverVersion", "operationalStatus", coalesce(groups, '{}')
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as d ("twinId" int, "externalId" text, "driverId" int,
        "driverVersion" int, "operationalStatus" int, groups text[])
      -- In one order, so that two transactions with the same devices wait for each other one way only.
      order by "externalId"
      returning twin_id)
    insert into device_live (twin_id) select twin_id from inserted`.execute(tx)
}

export async function updateDevice(tx: Executor, twinId: number, columns: DeviceColumns): Promise<void> {
  await setColumns(tx, twinId, {
    external_id: columns.externalId,
    driver_id: columns.driverId,
    driver_version: columns.driverVersion,
    operational_status: columns.operationalStatus,
    ...(columns.groups === undefined ? {} : { groups: columns.groups }),
  })
}

/** Sets columns of a device, and notifies features above of another driver. */
export async function setColumns(
  tx: Executor,
  twinId: number,
  columns: Updateable<DB['virtual_devices']>,
): Promise<void> {
  const changed = await tx
    .updateTable('virtual_devices as d')
    .from((before) =>
      before
        .selectFrom('virtual_devices')
        .select(['twin_id', 'driver_id', 'driver_version'])
        .where('twin_id', '=', twinId)
        .as('before'),
    )
    .set(columns)
    .whereRef('d.twin_id', '=', 'before.twin_id')
    .returning([
      sql<boolean>`d.driver_id is distinct from before.driver_id`.as('isOther'),
      sql<boolean>`d.driver_version is distinct from before.driver_version`.as('isOtherVersion'),
    ])
    .executeTakeFirst()
  if (changed?.isOther || changed?.isOtherVersion) await runHooks('driversChanged', tx, [twinId])
}

export const hasDriver = <T extends { driverId: number | null }>(
  device: T,
): device is T & { driverId: number } => device.driverId !== null

export interface ConnectorRow {
  id: number
  accountId: number
  scopeId: number
  /** the scope of its account itself */
  accountScopeId: number
  preset: Preset
  /** the given external ids for which it already has a device */
  taken: string[]
}

/** A connector in one of these scopes, locked against deletion until the end of the transaction. */
export async function findConnector(
  tx: Executor,
  scopeIds: readonly number[],
  id: number,
  externalIds: readonly string[] = [],
): Promise<ConnectorRow | undefined> {
  const { rows } = await sql<ConnectorRow>`
    /* prepared: devices.findConnector */
    select id, account_id as "accountId", scope_id as "scopeId", preset,
      (select s.id from scopes s where s.account_id = c.account_id and s.twin_id is null) as "accountScopeId", array(
      select d.external_id from virtual_devices d where d.connector_id = c.id
        and d.external_id = any(${[...externalIds]}::text[])) as taken
    from ${viewOf('connectors')} c
    where id = ${id} and receives and scope_id = any(${ints(scopeIds)}) for key share`.execute(tx)
  return rows[0]
}

/** The external ids for which the connector already has a device. */
export async function findTaken(
  db: Executor,
  connectorId: number,
  externalIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ externalId: string }>`
    /* prepared: devices.findTaken */
    select external_id as "externalId" from virtual_devices
    where connector_id = ${connectorId} and external_id = any(${[...externalIds]}::text[])`.execute(db)
  return new Set(rows.map(({ externalId }) => externalId))
}

/** Variables of a driver version. */
export interface DriverContent extends Describing {
  calculated: readonly Calculated[]
  /** whether the account need not accept the driver: it has done so, owns it, or the driver is a delivered one */
  isAccepted: boolean
}

/**
 * Content of the driver version that a device of an account would use: the accepted version or, if the
 * account has accepted none yet, the published one. Undefined if devices of the account cannot use the driver or
 * name the version; without variables if none is published.
 */
export async function loadDriverContent(
  db: Executor,
  driverId: number,
  version: number | null,
  accountId: number,
): Promise<DriverContent | undefined> {
  const { rows } = await sql<Partial<DriverContent> & { isAccepted: boolean }>`
    /* prepared: devices.loadDriverContent */
    select v.parser, v.calculated, v.variables, v.golden,
      d.account_id = ${accountId} or d.library_key is not null or exists (
        select from driver_acceptances x where x.driver_id = d.id and x.account_id = ${accountId}) as "isAccepted"
    from drivers d left join driver_versions v on v.driver_id = d.id and v.number =
      coalesce(${version}::int, driver_version_in(d.id, ${accountId}), d.published_version)
    where d.id = ${driverId} and ${offeredTo(accountId)}
      and (${version}::int is null or (v.number is not null and ${versionOfferedTo(accountId)}))`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { parser, calculated, variables, golden, isAccepted } = row
  return {
    parser: parser ?? { kind: 'unset' },
    calculated: calculated ?? [],
    variables: variables ?? [],
    golden: golden ?? [],
    isAccepted,
  }
}

type PacketRow = Omit<Packet, 'receivedAt' | 'time'> & { receivedAt: Date; time: Date }

/**
 * Packets of a device, newest first.
 * @param options.before only packets received before this one (without an id: before this time)
 */
export async function listPackets(
  db: Executor,
  deviceId: number,
  options: { limit: number; before: { time: Date; id: number | null } | null; errorsOnly: boolean },
): Promise<Packet[]> {
  const { before, errorsOnly, limit } = options
  const { rows } = await sql<PacketRow>`
    select id, received_at as "receivedAt", time, f_port as "fPort", f_cnt as "fCnt", payload, encoding, meta, variables,
      error, driver_id as "driverId", driver_version as "driverVersion", duration_us as "durationUs"
    from ${packetsOf({
      device: deviceId,
      ...(before === null ? {} : { beyond: { receivedAt: before.time, id: before.id ?? 0 } }),
      errorsOnly,
      order: 'desc',
      limit,
    })} p order by received_at desc, id desc`.execute(db)
  return rows.map((row) => ({
    ...row,
    meta: row.meta as Record<string, JsonValue>,
    receivedAt: row.receivedAt.toISOString(),
    time: row.time.toISOString(),
  }))
}
