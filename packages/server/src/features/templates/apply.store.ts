import type { ErrorCode } from '@leitstand/contract/errors'
import type { HealthConfig } from '@leitstand/contract/health'
import { sql } from 'kysely'
import { anyOf, type Executor, jsonb } from '../../platform/db/index.ts'
import { releaseStates } from '../twins/index.ts'

/** What a device has to do with a template. */
export interface LinkedRow {
  connectorId: number
  driverId: number | null
  driverVersion: number | null
  templateId: number | null
  /** publication it is in line with */
  publication: number | null
  /** why it could not be brought in line */
  error: { code: ErrorCode } | null
}

export async function loadLink(db: Executor, deviceId: number): Promise<LinkedRow> {
  const { rows } = await sql<LinkedRow>`
    select connector_id as "connectorId", driver_id as "driverId", driver_version as "driverVersion",
      template_id as "templateId", template_publication as publication, template_error as error
    from virtual_devices where twin_id = ${deviceId}`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error(`device ${deviceId} has no row of its own`)
  return row
}

/** Notes that a device is in line with a publication of a template. */
export async function writeLink(
  tx: Executor,
  deviceId: number,
  link: {
    templateId: number
    publication: number
    driverId: number
    driverVersion: number | null
  },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('virtual_devices')
    .set({
      template_id: link.templateId,
      template_publication: link.publication,
      template_synced_at: now,
      template_error: null,
      driver_id: link.driverId,
      driver_version: link.driverVersion,
    })
    .where('twin_id', '=', deviceId)
    .execute()
}

/** Takes a device from its template; what it has is its own then. */
export async function deleteLink(tx: Executor, deviceId: number): Promise<void> {
  await tx
    .updateTable('virtual_devices')
    .set({ template_id: null, template_publication: null, template_synced_at: null, template_error: null })
    .where('twin_id', '=', deviceId)
    .execute()
  await releaseStates(tx, deviceId)
  await tx
    .updateTable('device_health_configs')
    .set({ from_template: false })
    .where('twin_id', '=', deviceId)
    .execute()
}

/** A state a device has. */
export interface HeldState {
  id: number
  key: string
  title: string
  /** it comes from the template */
  fixed: boolean
}

export async function listHeldStates(db: Executor, deviceId: number): Promise<HeldState[]> {
  return db
    .selectFrom('states')
    .select(['id', 'key', 'title', 'fixed'])
    .where('twin_id', '=', deviceId)
    .orderBy('position')
    .orderBy('id')
    .execute()
}

/** How often a template can be published. */
const publicationsMax = 1_000_000

/**
 * Gives a device the health configuration of its template; null: it follows its driver.
 * @returns whether it had another one
 */
export async function writeHealth(
  tx: Executor,
  deviceId: number,
  {
    templateId,
    publication,
    config,
  }: { templateId: number; publication: number; config: HealthConfig | null },
  now: Date,
): Promise<boolean> {
  // Devices with the same have the same revision, so that it is made ready once for all of them.
  const revision = -(templateId * publicationsMax + publication)
  if (config === null) {
    const { numDeletedRows } = await tx
      .deleteFrom('device_health_configs')
      .where('twin_id', '=', deviceId)
      .executeTakeFirst()
    return numDeletedRows > 0n
  }
  const { rows } = await sql`
    insert into device_health_configs as o (twin_id, config, from_template, revision, updated_at)
    values (${deviceId}, ${jsonb({ ...config, applyToAllVD: false })}, true, ${revision}, ${now})
    on conflict (twin_id) do update set config = excluded.config, from_template = true,
      updated_at = excluded.updated_at, revision = excluded.revision
    where (o.config, o.from_template) is distinct from (excluded.config, true)
    returning 1`.execute(tx)
  return rows.length > 0
}

/** Fills properties of a device, and counts its version on. */
export async function touchDevice(
  tx: Executor,
  deviceId: number,
  properties: Readonly<Record<string, string>>,
  now: Date,
): Promise<void> {
  await sql`
    update twins set key_values = key_values || ${jsonb(properties)}, updated_at = ${now}, version = version + 1
    where id = ${deviceId}`.execute(tx)
}

/** A template that was published, kept from another publication until the end of the transaction. */
export async function holdPublished(
  tx: Executor,
  scopeIds: readonly number[],
  id: number,
): Promise<{ id: number; title: string; accountId: number; publication: number | null } | undefined> {
  const { rows } = await sql<{ id: number; title: string; accountId: number; publication: number | null }>`
    select id, title, account_id as "accountId", publication from device_templates
    where id = ${id} and scope_id = ${anyOf(scopeIds)} for share`.execute(tx)
  return rows[0]
}
