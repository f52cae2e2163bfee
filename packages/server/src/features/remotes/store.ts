import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import { ints } from '../twins/index.ts'

export interface Known {
  externalId: string
  /** null outside the caller's scopes */
  deviceId: number | null
}

/** The external ids that a connector has devices for. @param scopeIds where the caller sees devices */
export async function findKnown(
  db: Executor,
  connectorId: number,
  externalIds: readonly string[],
  scopeIds: readonly number[],
): Promise<Map<string, Known>> {
  const { rows } = await sql<Known>`
    select d.external_id as "externalId",
      case when t.scope_id = any(${ints(scopeIds)}) then t.id end as "deviceId"
    from virtual_devices d join twins t on t.id = d.twin_id
    where d.connector_id = ${connectorId} and d.external_id = any(${[...externalIds]}::text[])`.execute(db)
  return new Map(rows.map((row) => [row.externalId, row]))
}
