import type { Application, ApplicationScope, GrantedApplication } from '@leitstand/contract'
import { parseSearch } from '@leitstand/contract/search'
import { isWellFormed } from '@leitstand/contract/wellFormed'
import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import { matches } from '../../platform/db/textFilter.ts'

/** An application with the fields the protocol needs. */
export interface ClientRow {
  id: number
  clientId: string
  accountId: number
  accountName: string
  /** scope of the account */
  scopeId: number
  title: string
  description: string
  icon: string | null
  homepage: string | null
  kind: 'confidential' | 'public'
  secretHash: Buffer | null
  redirectUris: string[]
  scopes: ApplicationScope[]
}

export async function findClient(db: Executor, clientId: string): Promise<ClientRow | undefined> {
  // Not validated yet: it comes from the protocol library, not through our schemas.
  if (!isWellFormed(clientId)) return undefined
  const { rows } = await sql<ClientRow>`
    select a.id, a.client_id as "clientId", a.account_id as "accountId", t.name as "accountName",
      s.id as "scopeId", a.title, a.description, a.icon, a.homepage, a.kind, a.secret_hash as "secretHash",
      a.redirect_uris as "redirectUris", a.scopes
    from applications a join accounts t on t.id = a.account_id
      join scopes s on s.account_id = a.account_id and s.twin_id is null
    where a.client_id = ${clientId}`.execute(db)
  return rows[0]
}

const orders = {
  title: sql`lower(title)`,
  createdAt: sql`"createdAt"`,
  lastUsedAt: sql`"lastUsedAt"`,
  users: sql`users`,
} as const

export interface ApplicationFilter {
  offset: number
  limit: number
  accountIds?: readonly number[] | undefined
  search?: string | undefined
  orderBy: keyof typeof orders | `-${keyof typeof orders}`
}

type ListedRow = Omit<Application, 'createdAt' | 'lastUsedAt' | 'secretAt'> & {
  createdAt: Date
  lastUsedAt: Date | null
  secretAt: Date | null
}

const rowsOf = (condition: ReturnType<typeof sql>) => sql`
  select a.id, a.account_id as "accountId", a.client_id as "clientId", a.title, a.description, a.icon, a.homepage,
    a.kind, a.secret_prefix as "secretPrefix", a.secret_at as "secretAt", a.redirect_uris as "redirectUris",
    a.scopes, g.users, g.used as "lastUsedAt", a.created_by as "createdBy", a.created_at as "createdAt", a.version
  from applications a join scopes s on s.account_id = a.account_id and s.twin_id is null
    cross join lateral (
      select count(*)::int as users, max(last_used_at) as used from application_grants where application_id = a.id) g
  where ${condition}`

/** Applications of the accounts whose own scope is one of these. */
export async function listApplications(
  db: Executor,
  scopeIds: readonly number[],
  filter: ApplicationFilter,
): Promise<{ items: Application[]; total: number }> {
  const conditions = [sql`s.id = any(${[...scopeIds]}::int[])`]
  if (filter.accountIds) conditions.push(sql`a.account_id = any(${[...filter.accountIds]}::int[])`)
  const search = parseSearch(filter.search)
  if (search) conditions.push(matches([sql`a.search`], search))
  const where = sql.join(conditions, sql` and `)
  const descending = filter.orderBy.startsWith('-')
  const order = orders[filter.orderBy.replace(/^-/, '') as keyof typeof orders]
  const { rows } = await sql<ListedRow>`
    select * from (${rowsOf(where)}) as listed
    order by ${order} ${descending ? sql`desc` : sql`asc`} nulls last, id
    limit ${filter.limit} offset ${filter.offset}`.execute(db)
  const counted = await sql<{ total: number }>`
    select count(*)::int as total
    from applications a join scopes s on s.account_id = a.account_id and s.twin_id is null
    where ${where}`.execute(db)
  return { items: rows.map(toApplication), total: counted.rows[0]?.total ?? 0 }
}

/** An application of an account whose own scope is one of these. */
export async function findApplication(
  db: Executor,
  scopeIds: readonly number[],
  id: number,
): Promise<Application | undefined> {
  const { rows } = await sql<ListedRow>`
    ${rowsOf(sql`a.id = ${id} and s.id = any(${[...scopeIds]}::int[])`)}`.execute(db)
  return rows[0] && toApplication(rows[0])
}

export interface ApplicationContent {
  title: string
  description: string
  icon: string | null
  homepage: string | null
  redirectUris: string[]
  scopes: ApplicationScope[]
}

/** The hash of a secret, and its first characters to tell secrets apart. */
export interface SecretHash {
  hash: Buffer
  prefix: string
}

const valuesOf = (content: ApplicationContent) => ({
  title: content.title,
  description: content.description,
  icon: content.icon,
  homepage: content.homepage,
  redirect_uris: content.redirectUris,
  scopes: content.scopes,
})

export async function insertApplication(
  tx: Executor,
  content: ApplicationContent & {
    accountId: number
    clientId: string
    kind: 'confidential' | 'public'
    secret: SecretHash | null
    createdBy: string
    at: Date
  },
): Promise<number> {
  const { id } = await tx
    .insertInto('applications')
    .values({
      ...valuesOf(content),
      account_id: content.accountId,
      client_id: content.clientId,
      kind: content.kind,
      secret_hash: content.secret?.hash ?? null,
      secret_prefix: content.secret?.prefix ?? null,
      secret_at: content.secret ? content.at : null,
      created_by: content.createdBy,
      created_at: content.at,
      updated_at: content.at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** @returns false on a version conflict */
export async function updateApplication(
  tx: Executor,
  id: number,
  version: number,
  content: ApplicationContent,
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('applications')
    .set({ ...valuesOf(content), updated_at: at, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** @returns false on a version conflict */
export async function setSecret(
  tx: Executor,
  id: number,
  version: number,
  secret: SecretHash,
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('applications')
    .set({
      secret_hash: secret.hash,
      secret_prefix: secret.prefix,
      secret_at: at,
      updated_at: at,
      version: version + 1,
    })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteApplication(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('applications').where('id', '=', id).execute()
}

/** The grants of a user, last used first. */
export async function listGranted(
  db: Executor,
  userId: number,
  now: Date,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ items: GrantedApplication[]; total: number }> {
  const { rows } = await sql<
    Omit<GrantedApplication, 'grantedAt' | 'lastUsedAt'> & { grantedAt: Date; lastUsedAt: Date | null }
  >`
    select g.id, a.title, a.description, a.icon, a.homepage, t.name as "accountName",
      array(select unnest(g.scopes) intersect select unnest(a.scopes)) as scopes,
      g.created_at as "grantedAt", g.last_used_at as "lastUsedAt", g.last_used_ip as "lastUsedIp"
    from application_grants g join applications a on a.id = g.application_id
      join accounts t on t.id = a.account_id
    where g.user_id = ${userId} and g.expires_at > ${now}
    order by g.last_used_at desc nulls last, g.id desc limit ${limit} offset ${offset}`.execute(db)
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from application_grants
    where user_id = ${userId} and expires_at > ${now}`.execute(db)
  const items = rows.map((row) => ({
    ...row,
    grantedAt: row.grantedAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  }))
  return { items, total: counted.rows[0]?.total ?? 0 }
}

function toApplication(row: ListedRow): Application {
  return {
    ...row,
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    secretAt: row.secretAt?.toISOString() ?? null,
  }
}
