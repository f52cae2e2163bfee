import { sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'

/** A public link with the object it shows. */
export interface ShareRow {
  keyId: number
  kind: 'twin' | 'dashboard'
  objectId: number
  /** of the object */
  title: string
  accountId: number
  /** of the object */
  scopeId: number
  timeZone: string
  sealedToken: string
  passwordHash: string | null
  origins: string[]
  validUntil: Date | null
  createdBy: string
  createdAt: Date
  lastUsedAt: Date | null
}

const shares = sql`
  select k.id as "keyId", case when t.id is null then 'dashboard' else 'twin' end as kind,
    coalesce(t.id, d.id) as "objectId", coalesce(t.title, d.name) as title, k.account_id as "accountId",
    coalesce(t.scope_id, d.scope_id) as "scopeId", a.time_zone as "timeZone", s.sealed_token as "sealedToken",
    s.password_hash as "passwordHash", s.origins, k.valid_until as "validUntil", k.created_by as "createdBy",
    k.created_at as "createdAt", k.last_used_at as "lastUsedAt"
  from shares s join api_keys k on k.id = s.key_id join accounts a on a.id = k.account_id
  left join twins t on t.id = k.shared_twin_id left join dashboards d on d.id = k.shared_dashboard_id`

/** The link with this token. */
export async function findShareByToken(db: Executor, hash: Buffer): Promise<ShareRow | undefined> {
  const { rows } = await sql<ShareRow>`${shares} where k.token_hash = ${hash}`.execute(db)
  return rows[0]
}

/** The link to an object; the caller must have checked that the object is visible. */
export async function findShareOf(
  db: Executor,
  kind: ShareRow['kind'],
  objectId: number,
): Promise<ShareRow | undefined> {
  const column = kind === 'twin' ? sql`k.shared_twin_id` : sql`k.shared_dashboard_id`
  const { rows } = await sql<ShareRow>`${shares} where ${column} = ${objectId}`.execute(db)
  return rows[0]
}

export async function insertShare(
  tx: Executor,
  share: { keyId: number; sealedToken: string; passwordHash: string | null; origins: readonly string[] },
): Promise<void> {
  await tx
    .insertInto('shares')
    .values({
      key_id: share.keyId,
      sealed_token: share.sealedToken,
      password_hash: share.passwordHash,
      origins: [...share.origins],
    })
    .execute()
}

/** @param passwordHash null: without a password; absent: unchanged */
export async function updateShare(
  tx: Executor,
  keyId: number,
  change: { origins: readonly string[]; passwordHash?: string | null },
): Promise<void> {
  const { origins, passwordHash } = change
  await tx
    .updateTable('shares')
    .set({ origins: [...origins], ...(passwordHash === undefined ? {} : { password_hash: passwordHash }) })
    .where('key_id', '=', keyId)
    .execute()
}

/** Which of these twins are a twin or below it. */
export async function filterBelow(
  db: Executor,
  ids: readonly number[],
  rootId: number,
): Promise<Set<number>> {
  const { rows } = await sql<{ start: number }>`
    with recursive up as (
      select id as start, id, parent_id from twins where id = ${anyOf(ids)} and category = 'digitalTwin'
      union
      select up.start, p.id, p.parent_id from twins p join up on p.id = up.parent_id where up.id <> ${rootId})
    select start from up where id = ${rootId}`.execute(db)
  return new Set(rows.map(({ start }) => start))
}

/** The twins of states in these scopes, by state. */
export async function readOwners(
  db: Executor,
  scopeIds: readonly number[],
  stateIds: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; twinId: number }>`
    select id, twin_id as "twinId" from states
    where id = ${anyOf(stateIds)} and scope_id = ${anyOf(scopeIds)} and not of_device`.execute(db)
  return new Map(rows.map(({ id, twinId }) => [id, twinId]))
}
