import { sql } from 'kysely'
import { accountsUp } from '../../platform/db/accountTree.ts'
import type { Executor } from '../../platform/db/index.ts'

/** An account on the path to the root, with its own limits. */
export interface LimitRow {
  name: string
  scopeId: number
  csvRows: number | null
  devices: number | null
  templates: number | null
  fileMegabytes: number | null
  bulk: number | null
  ruleMails: number | null
}

/** The path from an account to the root: the account itself first, the topmost last. */
export async function readLimitLine(db: Executor, id: number): Promise<LimitRow[]> {
  const { rows } = await sql<LimitRow>`
    select a.name, s.id as "scopeId", a.csv_export_limit as "csvRows", a.device_limit as devices,
      a.template_limit as templates, a.file_megabytes as "fileMegabytes", a.bulk_limit as bulk,
      a.rule_mail_limit as "ruleMails"
    from ${accountsUp(id)} up join accounts a on a.id = up.id
    join scopes s on s.account_id = a.id and s.twin_id is null
    order by up.distance`.execute(db)
  return rows
}

/** An account with a limit on what it and the accounts below may have. */
export interface BoundingAccount {
  id: number
  name: string
  scopeId: number
  limit: number
}

/**
 * Accounts from this one up that limit their devices, templates or files, locked in the same order everywhere
 * to avoid deadlocks. Rows that refer to them can still be written.
 */
export async function lockLimits(
  tx: Executor,
  id: number,
  column: 'device_limit' | 'file_megabytes' | 'template_limit',
): Promise<BoundingAccount[]> {
  const limit = sql.ref(`a.${column}`)
  const { rows } = await sql<BoundingAccount>`
    /* prepared: accounts.lockLimits.${sql.raw(column)} */
    select a.id, a.name, s.id as "scopeId", ${limit} as "limit"
    from accounts a join scopes s on s.account_id = a.id and s.twin_id is null
    where a.id in (select id from ${accountsUp(id)} up) and ${limit} is not null
    order by a.id for no key update of a`.execute(tx)
  return rows
}
