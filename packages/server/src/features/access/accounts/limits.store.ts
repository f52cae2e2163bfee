import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'

/** An account on the way up with its own limits. */
export interface LimitRow {
  name: string
  scopeId: number
  csvRows: number | null
  devices: number | null
  templates: number | null
  fileMegabytes: number | null
  bulk: number | null
}

/** The account itself first, the topmost last. */
export async function readLimitLine(db: Executor, id: number): Promise<LimitRow[]> {
  const { rows } = await sql<LimitRow>`
    with recursive up as (
      select id, parent_id, 0 as distance from accounts where id = ${id}
      union all
      select a.id, a.parent_id, distance + 1 from accounts a join up on a.id = up.parent_id)
    select a.name, s.id as "scopeId", a.csv_export_limit as "csvRows", a.device_limit as devices,
      a.template_limit as templates, a.file_megabytes as "fileMegabytes", a.bulk_limit as bulk
    from up join accounts a on a.id = up.id
    join scopes s on s.account_id = a.id and s.twin_id is null
    order by distance`.execute(db)
  return rows
}

/**
 * Accounts from this one up that bound their devices, locked against each other in the same order everywhere. References
 * to them can still be written.
 */
export async function lockDeviceLimits(
  tx: Executor,
  id: number,
): Promise<{ id: number; name: string; scopeId: number; limit: number }[]> {
  const { rows } = await sql<{ id: number; name: string; scopeId: number; limit: number }>`
    with recursive up as (
      select id, parent_id from accounts where id = ${id}
      union all
      select a.id, a.parent_id from accounts a join up on a.id = up.parent_id)
    select a.id, a.name, s.id as "scopeId", a.device_limit as "limit"
    from accounts a join scopes s on s.account_id = a.id and s.twin_id is null
    where a.id in (select id from up) and a.device_limit is not null
    order by a.id for no key update of a`.execute(tx)
  return rows
}

/** Virtual devices of an account and of all below it. */
export async function countDevices(db: Executor, id: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with recursive below as (
      select id from accounts where id = ${id}
      union all
      select a.id from accounts a join below on a.parent_id = below.id)
    select count(*)::int as count from twins
    where category = 'virtualDevice' and account_id in (select id from below)`.execute(db)
  return rows[0]?.count ?? 0
}
