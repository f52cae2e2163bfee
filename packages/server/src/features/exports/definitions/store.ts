import { BulkExport, type ExportDefinition } from '@leitstand/contract/exports'
import { parseSearch } from '@leitstand/contract/search'
import { sql } from 'kysely'
import { anyOf, type Executor, jsonb } from '../../../platform/db/index.ts'
import { matches } from '../../../platform/db/textFilter.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { viewOf } from '../../objects/index.ts'

/** A saved export as stored. */
export interface DefinitionRow
  extends Omit<ExportDefinition, 'editable' | 'createdAt' | 'updatedAt' | 'lastRunAt'> {
  scopeId: number
  createdBy: number | null
  createdAt: Date
  updatedAt: Date
  lastRunAt: Date | null
}

const columns = sql`d.id, d.title, d.account_id as "accountId", a.name as "accountName", d.scope_id as "scopeId", d.request,
  d.active, d.created_by as "createdBy", d.created_name as "createdName", d.created_at as "createdAt",
  d.updated_at as "updatedAt", d.last_run_at as "lastRunAt", d.version`

/** Requests are stored as JSON and parsed with the current schema. */
const toRow = (row: DefinitionRow): DefinitionRow => ({ ...row, request: BulkExport.parse(row.request) })

export async function listDefinitions(
  db: Executor,
  scopeIds: readonly number[],
  asked: { search?: string | undefined; offset: number; limit: number },
): Promise<{ items: DefinitionRow[]; total: number }> {
  const conditions = [sql<boolean>`d.scope_id = ${anyOf(scopeIds)}`]
  const search = parseSearch(asked.search)
  if (search) conditions.push(matches([sql`d.search`], search))
  const where = sql.join(conditions, sql` and `)
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from export_definitions d where ${where}`.execute(db)
  const { rows } = await sql<DefinitionRow>`
    select ${columns} from export_definitions d join accounts a on a.id = d.account_id where ${where}
    order by d.title collate natural_order, d.id limit ${asked.limit} offset ${asked.offset}`.execute(db)
  return { items: rows.map(toRow), total: counted.rows[0]?.total ?? 0 }
}

export async function findDefinition(
  db: Executor,
  scopeIds: readonly number[],
  id: number,
): Promise<DefinitionRow | undefined> {
  const { rows } = await sql<DefinitionRow>`
    select ${columns} from export_definitions d join accounts a on a.id = d.account_id
    where d.id = ${id} and d.scope_id = ${anyOf(scopeIds)}`.execute(db)
  return rows.map(toRow)[0]
}

/** Counts the saved exports of an account and locks it against new ones until the end of the transaction. */
export async function countDefinitions(tx: Executor, accountId: number): Promise<number> {
  await sql`select from accounts where id = ${accountId} for no key update`.execute(tx)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from export_definitions where account_id = ${accountId}`.execute(tx)
  return rows[0]?.count ?? 0
}

export async function insertDefinition(
  tx: Executor,
  made: {
    title: string
    accountId: number
    scopeId: number
    request: BulkExport
    active: boolean
    createdBy: number | null
    createdName: string
    at: Date
  },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into export_definitions
      (account_id, scope_id, title, request, active, created_by, created_name, created_at, updated_at)
    values (${made.accountId}, ${made.scopeId}, ${made.title}, ${jsonb(made.request)}, ${made.active}, ${made.createdBy},
      ${made.createdName}, ${made.at}, ${made.at})
    returning id`.execute(tx)
  const [row] = rows
  if (!row) throw new Error('a saved export was not stored')
  return row.id
}

/** @returns false when another change came first */
export async function updateDefinition(
  tx: Executor,
  id: number,
  to: { version: number; title: string; request: BulkExport; at: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update export_definitions set title = ${to.title}, request = ${jsonb(to.request)}, updated_at = ${to.at},
      version = version + 1
    where id = ${id} and version = ${to.version}`.execute(tx)
  return (numAffectedRows ?? 0n) > 0n
}

export async function setActive(tx: Executor, id: number, active: boolean, at: Date): Promise<void> {
  await sql`
    update export_definitions set active = ${active}, updated_at = ${at}, version = version + 1
    where id = ${id} and active <> ${active}`.execute(tx)
}

export async function noteRun(tx: Executor, id: number, at: Date): Promise<void> {
  await sql`update export_definitions set last_run_at = ${at} where id = ${id}`.execute(tx)
}

export async function deleteDefinition(tx: Executor, id: number): Promise<void> {
  await sql`delete from export_definitions where id = ${id}`.execute(tx)
}

/** Deletes the saved exports of an account that is deleted. */
export async function deleteDefinitionsOf(tx: Executor, accountId: number): Promise<void> {
  await sql`delete from export_definitions where account_id = ${accountId}`.execute(tx)
}

/**
 * The account of the caller and its scope: where what they save or start is seen by others.
 * @throws AppError TENANT_NOT_FOUND for another account in which the caller may read nothing
 */
export async function findPlace(
  db: Executor,
  caller: Caller,
  accountId?: number,
): Promise<{ accountId: number; scopeId: number }> {
  const { rows } = await sql<{ accountId: number; scopeId: number }>`
    select a.id as "accountId", s.id as "scopeId" from accounts a join scopes s on s.account_id = a.id and s.twin_id is null
    where a.id = ${
      accountId === undefined
        ? sql`coalesce((select account_id from users where id = ${caller.userId}), ${caller.accountId ?? null})`
        : sql`${accountId}`
    }`.execute(db)
  const [row] = rows
  if (!row || (accountId !== undefined && !placesOf(caller).includes(row.scopeId)))
    throw new AppError('TENANT_NOT_FOUND')
  return row
}

/** Scopes in which the caller sees saved exports. */
export function placesOf(caller: Caller): number[] {
  return [
    ...new Set([
      ...caller.scopeIds('VirtualDevice', 'read'),
      ...caller.scopeIds('VirtualDevice', 'manage'),
      ...caller.scopeIds('DigitalTwin', 'read'),
      ...caller.scopeIds('all', 'manage'),
    ]),
  ]
}

/** A device or twin in these scopes. */
export async function findSeen(
  db: Executor,
  scopes: { digitalTwin: readonly number[]; virtualDevice: readonly number[] },
  id: number,
): Promise<
  { title: string; accountId: number; scopeId: number; category: 'digitalTwin' | 'virtualDevice' } | undefined
> {
  const { rows } = await sql<{
    title: string
    accountId: number
    scopeId: number
    category: 'digitalTwin' | 'virtualDevice'
  }>`
    select t.title, t.account_id as "accountId", t.scope_id as "scopeId", t.category from ${viewOf('twins')} t
    where t.id = ${id} and (
      t.category = 'digitalTwin' and t.scope_id = ${anyOf(scopes.digitalTwin)}
      or t.category = 'virtualDevice' and t.scope_id = ${anyOf(scopes.virtualDevice)})`.execute(db)
  return rows[0]
}
