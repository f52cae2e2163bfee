import { createHash } from 'node:crypto'
import type { ApplicationScope } from '@leitstand/contract/applications'
import { sql } from 'kysely'
import { type Executor, jsonb } from '../../platform/db/index.ts'
import { demandsFactor, lineOfUser } from '../people/index.ts'

/** The protocol's data of a request, a code or a token; JSON. */
export type RecordPayload = Record<string, unknown>

/** Only hashes of keys are stored, because the keys are the tokens. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

export async function saveRecord(
  db: Executor,
  model: string,
  key: string,
  payload: RecordPayload,
  { grantKey, expiresAt }: { grantKey: string | undefined; expiresAt: Date },
): Promise<void> {
  const grant = grantKey ?? null
  await sql`
    insert into oauth_records (model, key_hash, payload, grant_id, expires_at)
    values (${model}, ${hashKey(key)}, ${jsonb(payload)},
      (select id from application_grants where grant_key = ${grant}), ${expiresAt})
    on conflict (model, key_hash) do update
      set payload = excluded.payload, grant_id = excluded.grant_id, expires_at = excluded.expires_at`.execute(
    db,
  )
}

/** A record that has not expired. Includes consumed ones, because their reuse indicates theft. */
export async function readRecord(
  db: Executor,
  model: string,
  key: string,
  now: Date,
): Promise<{ payload: RecordPayload; consumedAt: Date | null } | undefined> {
  const { rows } = await sql<{ payload: RecordPayload; consumedAt: Date | null }>`
    select payload, consumed_at as "consumedAt" from oauth_records
    where model = ${model} and key_hash = ${hashKey(key)} and expires_at > ${now}`.execute(db)
  return rows[0]
}

/** @returns false when it was already consumed; of two concurrent calls one wins */
export async function consumeRecord(db: Executor, model: string, key: string, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oauth_records')
    .set({ consumed_at: at })
    .where('model', '=', model)
    .where('key_hash', '=', hashKey(key))
    .where('consumed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteRecord(db: Executor, model: string, key: string): Promise<void> {
  await db
    .deleteFrom('oauth_records')
    .where('model', '=', model)
    .where('key_hash', '=', hashKey(key))
    .execute()
}

export async function deleteRecordsOfGrant(db: Executor, model: string, grantKey: string): Promise<void> {
  await sql`
    delete from oauth_records where model = ${model}
      and grant_id = (select id from application_grants where grant_key = ${grantKey})`.execute(db)
}

export async function deleteEndedRecords(db: Executor, now: Date): Promise<void> {
  await db.deleteFrom('oauth_records').where('expires_at', '<=', now).execute()
  await db.deleteFrom('application_grants').where('expires_at', '<=', now).execute()
  await db.deleteFrom('exchange_codes').where('expires_at', '<=', now).execute()
}

/** An access token with its application and user. */
export interface TokenRow {
  grantId: number
  userId: number
  username: string
  accountId: number
  applicationId: number
  title: string
  /** scope of the account of the application */
  scopeId: number
  scopes: ApplicationScope[]
  expiresAt: Date
  lastUsedAt: Date | null
  needsTwoFactor: boolean
  /** the account of the user and all above it, which decide that */
  accountIds: number[]
}

/**
 * An access token that has not expired, of an active user. Omits scopes removed from the application since it
 * was issued.
 */
export async function readAccessToken(db: Executor, hash: Buffer, now: Date): Promise<TokenRow | undefined> {
  const { rows } = await sql<TokenRow>`
    select g.id as "grantId", u.id as "userId", u.username, u.account_id as "accountId",
      a.id as "applicationId", a.title, s.id as "scopeId",
      array(select unnest(string_to_array(r.payload ->> 'scope', ' ')) intersect select unnest(a.scopes)) as scopes,
      r.expires_at as "expiresAt", g.last_used_at as "lastUsedAt",
      not g.factor_by_provider and ${demandsFactor} as "needsTwoFactor",
      ${lineOfUser} as "accountIds"
    from oauth_records r
      join application_grants g on g.id = r.grant_id
      join users u on u.id = g.user_id
      join applications a on a.id = g.application_id
      join scopes s on s.account_id = a.account_id and s.twin_id is null
    where r.model = 'AccessToken' and r.key_hash = ${hash} and r.expires_at > ${now}
      and g.expires_at > ${now} and u.active`.execute(db)
  return rows[0]
}

/** The scopes a user has granted an application, limited to those the application still has. */
export async function readGrantOf(
  db: Executor,
  userId: number,
  applicationId: number,
  now: Date,
): Promise<Pick<TokenRow, 'scopeId' | 'scopes' | 'needsTwoFactor'> | undefined> {
  const { rows } = await sql<Pick<TokenRow, 'scopeId' | 'scopes' | 'needsTwoFactor'>>`
    select s.id as "scopeId", array(select unnest(g.scopes) intersect select unnest(a.scopes)) as scopes,
      not g.factor_by_provider and ${demandsFactor} as "needsTwoFactor"
    from application_grants g
      join users u on u.id = g.user_id
      join applications a on a.id = g.application_id
      join scopes s on s.account_id = a.account_id and s.twin_id is null
    where g.user_id = ${userId} and a.id = ${applicationId} and g.expires_at > ${now} and u.active`.execute(
    db,
  )
  return rows[0]
}

export interface GrantRow {
  id: number
  grantKey: string
  userId: number
  clientId: string
  scopes: ApplicationScope[]
  createdAt: Date
  expiresAt: Date
}

const grantColumns = sql`
  g.id, g.grant_key as "grantKey", g.user_id as "userId", a.client_id as "clientId", g.scopes,
  g.created_at as "createdAt", g.expires_at as "expiresAt"`

export async function readGrant(db: Executor, grantKey: string, now: Date): Promise<GrantRow | undefined> {
  const { rows } = await sql<GrantRow>`
    select ${grantColumns} from application_grants g join applications a on a.id = g.application_id
    where g.grant_key = ${grantKey} and g.expires_at > ${now}`.execute(db)
  return rows[0]
}

export async function findGrant(
  db: Executor,
  userId: number,
  applicationId: number,
  now: Date,
): Promise<GrantRow | undefined> {
  const { rows } = await sql<GrantRow>`
    select ${grantColumns} from application_grants g join applications a on a.id = g.application_id
    where g.user_id = ${userId} and g.application_id = ${applicationId} and g.expires_at > ${now}`.execute(db)
  return rows[0]
}

/** Creates or extends a user's grant to an application. @returns the key of the grant */
export async function saveGrant(
  tx: Executor,
  grant: {
    grantKey: string
    userId: number
    applicationId: number
    scopes: readonly ApplicationScope[]
    /** an identity provider has checked the second factor of the session in which it is granted */
    factorByProvider: boolean
    at: Date
    expiresAt: Date
  },
): Promise<string> {
  const { rows } = await sql<{ grantKey: string }>`
    insert into application_grants as g (grant_key, application_id, user_id, scopes,
      factor_by_provider, created_at, expires_at)
    values (${grant.grantKey}, ${grant.applicationId}, ${grant.userId}, ${[...grant.scopes]},
      ${grant.factorByProvider}, ${grant.at},
      ${grant.expiresAt})
    on conflict (user_id, application_id) do update set
      scopes = array(select distinct unnest(g.scopes || excluded.scopes) order by 1),
      factor_by_provider = excluded.factor_by_provider,
      expires_at = excluded.expires_at
    returning grant_key as "grantKey"`.execute(tx)
  const [saved] = rows
  if (!saved) throw new Error('the grant was not saved')
  return saved.grantKey
}

export async function touchGrant(db: Executor, id: number, at: Date, ip: string): Promise<void> {
  await db
    .updateTable('application_grants')
    .set({ last_used_at: at, last_used_ip: ip })
    .where('id', '=', id)
    .execute()
}

/** The details of an ended grant for the activity log. */
export interface EndedGrant {
  applicationId: number
  title: string
  accountId: number
  userId: number
  username: string
}

/** Ends a grant with all its tokens, by its id or its key. */
export async function deleteGrant(
  tx: Executor,
  which: { id: number; userId: number } | { grantKey: string },
): Promise<EndedGrant | undefined> {
  const condition =
    'id' in which
      ? sql`g.id = ${which.id} and g.user_id = ${which.userId}`
      : sql`g.grant_key = ${which.grantKey}`
  const { rows } = await sql<EndedGrant>`
    delete from application_grants g using applications a, users u
    where a.id = g.application_id and u.id = g.user_id and ${condition}
    returning a.id as "applicationId", a.title, a.account_id as "accountId", u.id as "userId", u.username`.execute(
    tx,
  )
  return rows[0]
}
