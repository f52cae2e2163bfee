import { sql } from 'kysely'
import { anyOf, type Executor } from '../../../../platform/db/index.ts'

export interface DeviceRow {
  id: number
  title: string
  accountId: number
  scopeId: number
}

/** Devices by id; others, such as digital twins, are missing. */
export async function findDevices(db: Executor, ids: readonly number[]): Promise<Map<number, DeviceRow>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<DeviceRow>`
    select id, title, account_id as "accountId", scope_id as "scopeId" from twins
    where id = ${anyOf(ids)} and category = 'virtualDevice'`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}
