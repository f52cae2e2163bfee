import type { RoleMapping } from '@leitstand/contract'
import { OAuth2ClientInput, OAuth2Endpoints, OidcClientInput, OidcEndpoints } from '@leitstand/contract'
import { sql } from 'kysely'
import * as z from 'zod'
import { accountsBelow } from '../../platform/db/accountTree.ts'
import { type Executor, jsonb } from '../../platform/db/index.ts'

export type SsoKind = 'oidc' | 'oauth2'

/** The stored `settings`. */
const Shared = { clientAuth: z.enum(['basic', 'post']), scopes: z.array(z.string()) }
const OidcSettings = z.object({
  ...Shared,
  discoveryUrl: z.string().nullable(),
  endpoints: OidcEndpoints.nullable(),
  fields: OidcClientInput.shape.fields,
})
const OAuth2Settings = z.object({
  ...Shared,
  endpoints: OAuth2Endpoints,
  fields: OAuth2ClientInput.shape.fields,
})
export type OidcSettings = z.infer<typeof OidcSettings>
export type OAuth2Settings = z.infer<typeof OAuth2Settings>

/** The fields of a client apart from its kind and provider. */
export interface ClientContent {
  accountId: number
  title: string
  logo: string | null
  active: boolean
  clientId: string
  createUsers: boolean
  linkUsers: boolean
  trustEmails: boolean
  mapEveryTime: boolean
  secondFactor: 'own' | 'amr' | 'provider'
  mappings: RoleMapping[]
  fallback: { scopeId: number; roleId: number } | null
}

export type Provider = { kind: 'oidc'; settings: OidcSettings } | { kind: 'oauth2'; settings: OAuth2Settings }

export type ClientRow = ClientContent &
  Provider & {
    id: number
    key: string
    /** sealed */
    secret: string | null
    createdAt: Date
    updatedAt: Date
    users: number
    version: number
    /** the own scope of the account */
    scopeId: number
    /** domains the account has proven */
    domains: string[]
  }

const columns = sql`
  c.id, c.key, c.kind, c.account_id as "accountId", c.title, c.logo, c.active, c.client_id as "clientId",
  c.client_secret as secret, c.settings, c.create_users as "createUsers", c.link_users as "linkUsers",
  c.trust_emails as "trustEmails", c.map_every_time as "mapEveryTime", c.second_factor as "secondFactor",
  c.created_at as "createdAt", c.updated_at as "updatedAt", c.version, s.id as "scopeId",
  array(select d.domain from account_domains d where d.account_id = c.account_id and d.proven_at is not null
    order by d.domain) as domains,
  (select count(distinct i.user_id)::int from sso_identities i where i.client_id = c.id) as users,
  (select coalesce(jsonb_agg(jsonb_build_object('claim', m.claim, 'value', m.value, 'scopeId', m.scope_id,
    'roleId', m.role_id) order by m.place), '[]') from sso_mappings m where m.client_id = c.id) as given`
const tables = sql`sso_clients c join scopes s on s.account_id = c.account_id and s.twin_id is null`

const Given = z.array(
  z.object({ claim: z.string().nullable(), value: z.string().nullable(), scopeId: z.int(), roleId: z.int() }),
)

type RawRow = Omit<ClientRow, 'settings' | 'mappings' | 'fallback'> & { settings: unknown; given: unknown }

/** A page, by title, of the clients of accounts whose own scope is one of these. */
export async function listClients(
  db: Executor,
  kind: SsoKind,
  scopeIds: readonly number[],
  filter: { accountIds?: readonly number[] | undefined; offset: number; limit: number },
): Promise<{ items: ClientRow[]; total: number }> {
  const wanted = filter.accountIds ? sql`and c.account_id = any(${[...filter.accountIds]}::int[])` : sql``
  const where = sql`c.kind = ${kind} and s.id = any(${[...scopeIds]}::int[]) ${wanted}`
  const { rows } = await sql<RawRow>`
    select ${columns} from ${tables} where ${where}
    order by c.title, c.id offset ${filter.offset} limit ${filter.limit}`.execute(db)
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from ${tables} where ${where}`.execute(db)
  return { items: rows.map(toClient), total: counted.rows[0]?.total ?? 0 }
}

/**
 * A client of an account whose own scope is one of these; with `lock`, locked until the end of the
 * transaction.
 */
export async function findClient(
  db: Executor,
  kind: SsoKind,
  id: number,
  scopeIds: readonly number[],
  lock = false,
): Promise<ClientRow | undefined> {
  const { rows } = await sql<RawRow>`
    select ${columns} from ${tables}
    where c.kind = ${kind} and c.id = ${id} and s.id = any(${[...scopeIds]}::int[])
    ${lock ? sql`for update of c` : sql``}`.execute(db)
  return rows[0] && toClient(rows[0])
}

/** An active client by the key in its URLs. */
export async function clientByKey(db: Executor, key: string): Promise<ClientRow | undefined> {
  const { rows } = await sql<RawRow>`
    select ${columns} from ${tables} where c.key = ${key} and c.active`.execute(db)
  return rows[0] && toClient(rows[0])
}

/** The kind of a client, active or not. */
export async function kindByKey(db: Executor, key: string): Promise<string | undefined> {
  return (await db.selectFrom('sso_clients').select('kind').where('key', '=', key).executeTakeFirst())?.kind
}

/** An active client, locked against changes until the end of the transaction. */
export async function lockClient(tx: Executor, id: number): Promise<ClientRow | undefined> {
  const { rows } = await sql<RawRow>`
    select ${columns} from ${tables} where c.id = ${id} and c.active for share of c`.execute(tx)
  return rows[0] && toClient(rows[0])
}

/** The sign-on buttons of an account's login page. */
export async function readButtons(
  db: Executor,
  kind: SsoKind,
  accountId: number,
): Promise<{ key: string; title: string; logo: string | null }[]> {
  const { rows } = await sql<{ key: string; title: string; logo: string | null }>`
    select key, title, logo from sso_clients
    where kind = ${kind} and active and account_id = ${accountId}
    order by title, id limit ${buttonsMax}`.execute(db)
  return rows
}

/** Maximum clients of one kind. */
export const clientsOfAccountMax = 50
/** Maximum buttons of one kind on a login page. */
const buttonsMax = 12

export async function countClients(db: Executor, kind: SsoKind, accountId: number): Promise<number> {
  const { count } = await db
    .selectFrom('sso_clients')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('kind', '=', kind)
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return count
}

const valuesOf = (content: ClientContent, settings: object) => ({
  title: content.title,
  logo: content.logo,
  active: content.active,
  client_id: content.clientId,
  create_users: content.createUsers,
  link_users: content.linkUsers,
  trust_emails: content.trustEmails,
  map_every_time: content.mapEveryTime,
  second_factor: content.secondFactor,
  settings: jsonb(settings),
})

export async function insertClient(
  tx: Executor,
  client: ClientContent & Provider & { key: string; at: Date },
): Promise<number> {
  const { id } = await tx
    .insertInto('sso_clients')
    .values({
      ...valuesOf(client, client.settings),
      account_id: client.accountId,
      kind: client.kind,
      key: client.key,
      created_at: client.at,
      updated_at: client.at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await insertMappings(tx, id, client)
  return id
}

/** @returns false on a version conflict */
export async function updateClient(
  tx: Executor,
  id: number,
  version: number,
  client: ClientContent & Provider,
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('sso_clients')
    .set({ ...valuesOf(client, client.settings), updated_at: at, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return false
  await tx.deleteFrom('sso_mappings').where('client_id', '=', id).execute()
  await insertMappings(tx, id, client)
  return true
}

export async function setSecret(tx: Executor, id: number, sealed: string | null): Promise<void> {
  await tx.updateTable('sso_clients').set({ client_secret: sealed }).where('id', '=', id).execute()
}

async function insertMappings(
  tx: Executor,
  id: number,
  { mappings, fallback }: ClientContent,
): Promise<void> {
  const lines = [...mappings, ...(fallback ? [{ ...fallback, claim: null, value: null }] : [])]
  if (lines.length === 0) return
  await tx
    .insertInto('sso_mappings')
    .values(
      lines.map(({ claim, value, scopeId, roleId }, place) => ({
        client_id: id,
        place,
        claim,
        value,
        scope_id: scopeId,
        role_id: roleId,
      })),
    )
    .execute()
}

export async function deleteClient(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('sso_clients').where('id', '=', id).execute()
}

/** @returns false when this callback was already used */
export async function takeAnswer(tx: Executor, stateHash: Buffer, expiresAt: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('sso_answers')
    .values({ state_hash: stateHash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function deleteOldAnswers(db: Executor, now: Date): Promise<void> {
  await db.deleteFrom('sso_answers').where('expires_at', '<=', now).execute()
}

export interface KnownUser {
  id: number
  accountId: number
  username: string
  active: boolean
}

/** Serialises concurrent first sign-ins of one person, such as a double click. */
export async function lockSubject(tx: Executor, clientId: number, subject: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${clientId}, hashtext(${subject}))`.execute(tx)
}

/** The user linked to this subject of a provider. */
export function userBySubject(
  tx: Executor,
  clientId: number,
  subject: string,
): Promise<KnownUser | undefined> {
  return tx
    .selectFrom('sso_identities')
    .innerJoin('users', 'users.id', 'sso_identities.user_id')
    .select(['users.id', 'users.account_id as accountId', 'users.username', 'users.active'])
    .where('sso_identities.client_id', '=', clientId)
    .where('subject', '=', subject)
    .executeTakeFirst()
}

/** Users with this address as e-mail or user name; two when these are different users. */
export function usersByEmail(tx: Executor, email: string): Promise<(KnownUser & { email: string })[]> {
  return tx
    .selectFrom('users')
    .innerJoin('login_names', 'login_names.user_id', 'users.id')
    .select(['users.id', 'users.account_id as accountId', 'users.username', 'users.active', 'users.email'])
    .where('login_names.name', '=', sql<string>`login_name(${email})`)
    .execute()
}

export async function hasIdentity(tx: Executor, clientId: number, userId: number): Promise<boolean> {
  const row = await tx
    .selectFrom('sso_identities')
    .select('subject')
    .where('client_id', '=', clientId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row !== undefined
}

export async function insertIdentity(
  tx: Executor,
  identity: { clientId: number; subject: string; userId: number; at: Date },
): Promise<void> {
  await tx
    .insertInto('sso_identities')
    .values({
      client_id: identity.clientId,
      subject: identity.subject,
      user_id: identity.userId,
      created_at: identity.at,
      last_login_at: identity.at,
    })
    .execute()
}

export async function touchIdentity(
  tx: Executor,
  clientId: number,
  subject: string,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('sso_identities')
    .set({ last_login_at: at })
    .where('client_id', '=', clientId)
    .where('subject', '=', subject)
    .execute()
}

/** Those of these scopes that belong to an account or to one below it. */
export async function scopesBelow(
  db: Executor,
  accountId: number,
  scopeIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select s.id from scopes s
    where s.id = any(${[...scopeIds]}::int[]) and s.account_id in (select id from ${accountsBelow(accountId)} below)`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}

/** All scopes of an account and of those below it. */
export async function scopesOfTree(db: Executor, accountId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select s.id from scopes s where s.account_id in (select id from ${accountsBelow(accountId)} below)`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

function toClient(row: RawRow): ClientRow {
  const { given, settings, ...rest } = row
  const lines = Given.parse(given)
  const mappings = lines.flatMap(({ claim, value, ...access }) =>
    claim === null || value === null ? [] : [{ claim, value, ...access }],
  )
  const last = lines.find(({ claim }) => claim === null)
  const fallback = last ? { scopeId: last.scopeId, roleId: last.roleId } : null
  const provider: Provider =
    row.kind === 'oidc'
      ? { kind: 'oidc', settings: OidcSettings.parse(settings) }
      : { kind: 'oauth2', settings: OAuth2Settings.parse(settings) }
  return { ...rest, mappings, fallback, ...provider }
}
