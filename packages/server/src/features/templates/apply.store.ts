import type { ErrorCode } from '@leitstand/contract/errors'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'

/** A device's link to its template. */
export interface LinkedRow {
  connectorId: number
  driverId: number | null
  driverVersion: number | null
  templateId: number | null
  /** publication it is in sync with */
  publication: number | null
  /** why the last synchronisation failed */
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

/** A state of a device. */
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

/** A published template, locked against another publication until the end of the transaction. */
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
