import type { ApiKey } from '@leitstand/contract'
import type { RoleRule } from '@leitstand/contract/permissions'
import { parseSearch } from '@leitstand/contract/search'
import { sql } from 'kysely'
import { accountsUp } from '../../platform/db/accountTree.ts'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { matches } from '../../platform/db/textFilter.ts'
import { readRoleKey } from '../rights/index.ts'

/** The fields needed to authenticate a key of a program; public links have no role and are not found. */
export interface KeyRow {
  id: number
  title: string
  accountId: number
  scopeId: number
  roleId: number
  rules: readonly RoleRule[]
  callsPerMinute: number
  validFrom: Date | null
  validUntil: Date | null
  lastUsedAt: Date | null
  /** set when the token is the previous one, from before the last rotation */
  previousUntil: Date | null
}

export async function readKey(db: Executor, hash: Buffer): Promise<KeyRow | undefined> {
  const { rows } = await sql<KeyRow>`
    /* prepared: apikeys.read */
    select k.id, k.title, k.account_id as "accountId", k.scope_id as "scopeId", r.id as "roleId", r.rules,
      k.calls_per_minute::int as "callsPerMinute", k.valid_from as "validFrom", k.valid_until as "validUntil",
      k.last_used_at as "lastUsedAt",
      case when k.token_hash = ${hash} then null else k.previous_until end as "previousUntil"
    from api_keys k join roles r on r.id = k.role_id
    where k.token_hash = ${hash} or k.previous_hash = ${hash}`.execute(db)
  return rows[0]
}

export async function touchKey(db: Executor, id: number, at: Date, ip: string): Promise<void> {
  await db.updateTable('api_keys').set({ last_used_at: at, last_used_ip: ip }).where('id', '=', id).execute()
}

const orders = {
  title: sql`lower(k.title)`,
  createdAt: sql`k.created_at`,
  lastUsedAt: sql`k.last_used_at`,
  validUntil: sql`k.valid_until`,
} as const

export interface KeyFilter {
  offset: number
  limit: number
  accountIds?: readonly number[] | undefined
  search?: string | undefined
  orderBy: keyof typeof orders | `-${keyof typeof orders}`
}

type ListedRow = Omit<
  ApiKey,
  'roleKey' | 'createdAt' | 'lastUsedAt' | 'validFrom' | 'validUntil' | 'previousUntil'
> & {
  roleKey: string | null
  createdAt: Date
  lastUsedAt: Date | null
  validFrom: Date | null
  validUntil: Date | null
  previousUntil: Date | null
}

const columns = sql`
  k.id, k.account_id as "accountId", k.title, k.prefix, k.calls_per_minute::int as "callsPerMinute",
  k.valid_from as "validFrom", k.valid_until as "validUntil", k.scope_id as "scopeId", s.name as "scopeName",
  k.role_id as "roleId", coalesce(r.name, '') as "roleName", r.key as "roleKey",
  case when k.role_id is null then json_build_object(
    'kind', case when k.shared_twin_id is null then 'dashboard' else 'twin' end,
    'id', coalesce(k.shared_twin_id, k.shared_dashboard_id)) end as shows, k.created_by as "createdBy", k.created_at as "createdAt",
  k.last_used_at as "lastUsedAt", k.last_used_ip as "lastUsedIp", k.previous_until as "previousUntil", k.version`
const tables = sql`api_keys k join scopes s on s.id = k.scope_id left join roles r on r.id = k.role_id`

/** Keys whose scope is one of these. */
export async function listKeys(
  db: Executor,
  scopeIds: readonly number[],
  filter: KeyFilter,
): Promise<{ items: ApiKey[]; total: number }> {
  const conditions = [sql`k.scope_id = any(${[...scopeIds]}::int[])`]
  if (filter.accountIds) conditions.push(sql`k.account_id = any(${[...filter.accountIds]}::int[])`)
  const search = parseSearch(filter.search)
  if (search) conditions.push(matches([sql`k.search`], search))
  const where = sql.join(conditions, sql` and `)
  const descending = filter.orderBy.startsWith('-')
  const order = orders[filter.orderBy.replace(/^-/, '') as keyof typeof orders]
  const { rows } = await sql<ListedRow>`
    select ${columns} from ${tables} where ${where}
    order by ${order} ${descending ? sql`desc` : sql`asc`} nulls last, k.id
    limit ${filter.limit} offset ${filter.offset}`.execute(db)
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from ${tables} where ${where}`.execute(db)
  return { items: rows.map(toKey), total: counted.rows[0]?.total ?? 0 }
}

/** A key whose scope is one of these. */
export async function findKey(
  db: Executor,
  scopeIds: readonly number[],
  id: number,
): Promise<ApiKey | undefined> {
  const { rows } = await sql<ListedRow>`
    select ${columns} from ${tables}
    where k.id = ${id} and k.scope_id = any(${[...scopeIds]}::int[])`.execute(db)
  return rows[0] && toKey(rows[0])
}

/** A scope with its account, if it is one of these; it cannot be deleted until the end of the transaction. */
export function findScope(db: Executor, scopeIds: readonly number[], id: number) {
  return db
    .selectFrom('scopes')
    .select(['id', 'account_id as accountId'])
    .where('id', '=', id)
    .where('id', '=', anyOf(scopeIds))
    .forKeyShare('scopes')
    .executeTakeFirst()
}

/** A role offered to everyone, or one of the account or an account above it. */
export async function findRole(
  db: Executor,
  id: number,
  accountId: number,
): Promise<{ name: string; rules: readonly RoleRule[] } | undefined> {
  const { rows } = await sql<{ name: string; rules: readonly RoleRule[] }>`
    select name, rules from roles
    where id = ${id} and (account_id is null or account_id in (select id from ${accountsUp(accountId)} up))`.execute(
    db,
  )
  return rows[0]
}

export interface KeyContent {
  title: string
  callsPerMinute: number
  validFrom: Date | null
  validUntil: Date | null
  accountId: number
  scopeId: number
  /** null: a public link */
  roleId: number | null
}

const valuesOf = (key: KeyContent) => ({
  title: key.title,
  account_id: key.accountId,
  calls_per_minute: key.callsPerMinute,
  valid_from: key.validFrom,
  valid_until: key.validUntil,
  scope_id: key.scopeId,
  role_id: key.roleId,
})

export async function insertKey(
  tx: Executor,
  key: KeyContent & { prefix: string; hash: Buffer; createdBy: string; at: Date; shows?: ApiKey['shows'] },
): Promise<number> {
  const { id } = await tx
    .insertInto('api_keys')
    .values({
      ...valuesOf(key),
      shared_twin_id: key.shows?.kind === 'twin' ? key.shows.id : null,
      shared_dashboard_id: key.shows?.kind === 'dashboard' ? key.shows.id : null,
      prefix: key.prefix,
      token_hash: key.hash,
      created_by: key.createdBy,
      created_at: key.at,
      updated_at: key.at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** @returns false on a version conflict */
export async function updateKey(
  tx: Executor,
  id: number,
  version: number,
  key: KeyContent,
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('api_keys')
    .set({ ...valuesOf(key), updated_at: at, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** @returns false on a version conflict */
export async function rotateKey(
  tx: Executor,
  id: number,
  version: number,
  fresh: { prefix: string; hash: Buffer; previousUntil: Date | null; at: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('api_keys')
    .set((row) => ({
      prefix: fresh.prefix,
      token_hash: fresh.hash,
      updated_at: fresh.at,
      version: version + 1,
      previous_hash: fresh.previousUntil === null ? null : row.ref('token_hash'),
      previous_until: fresh.previousUntil,
    }))
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Changes until when a key is valid. */
export async function setKeyEnd(tx: Executor, id: number, validUntil: Date | null, at: Date): Promise<void> {
  await tx
    .updateTable('api_keys')
    .set((row) => ({ valid_until: validUntil, updated_at: at, version: sql`${row.ref('version')} + 1` }))
    .where('id', '=', id)
    .execute()
}

export async function deleteKey(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('api_keys').where('id', '=', id).execute()
}

function toKey(row: ListedRow): ApiKey {
  const iso = (at: Date | null) => at?.toISOString() ?? null
  return {
    ...row,
    roleKey: readRoleKey(row.roleKey),
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: iso(row.lastUsedAt),
    validFrom: iso(row.validFrom),
    validUntil: iso(row.validUntil),
    previousUntil: iso(row.previousUntil),
  }
}
