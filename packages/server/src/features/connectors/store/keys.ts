import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import type { MadeKey } from '../keys/keys.ts'

/** A webhook key as stored: never the key itself. */
export interface KeyRow {
  readonly id: number
  readonly connectorId: number
  /** SHA-256 of the key, base64 */
  readonly digest: string
  readonly hint: string
  readonly createdAt: Date
  readonly endsAt: Date | null
  readonly lastUsedAt: Date | null
}

/** The keys of connectors, including expired ones, newest first. */
export async function readKeys(
  db: Executor,
  connectorIds: readonly number[],
): Promise<Map<number, readonly KeyRow[]>> {
  const { rows } = await sql<KeyRow>`
    select id, connector_id as "connectorId", encode(hash, 'base64') as digest, hint, created_at as "createdAt",
      ends_at as "endsAt", last_used_at as "lastUsedAt"
    from connector_keys where connector_id = any(${[...connectorIds]}::int[])
    order by created_at desc, id desc`.execute(db)
  return Map.groupBy(rows, ({ connectorId }) => connectorId)
}

export async function insertKey(
  tx: Executor,
  connectorId: number,
  { hash, hint }: MadeKey,
  at: Date,
): Promise<void> {
  await tx
    .insertInto('connector_keys')
    .values({ connector_id: connectorId, hash, hint, created_at: at })
    .execute()
}

/** Makes all keys of a connector expire at a time; earlier expiry times are kept. */
export async function endKeys(tx: Executor, connectorId: number, at: Date): Promise<void> {
  await sql`
    update connector_keys set ends_at = ${at}
    where connector_id = ${connectorId} and (ends_at is null or ends_at > ${at})`.execute(tx)
}

export async function deleteEndedKeys(tx: Executor, connectorId: number, now: Date): Promise<void> {
  await tx
    .deleteFrom('connector_keys')
    .where('connector_id', '=', connectorId)
    .where('ends_at', '<=', now)
    .execute()
}

/** @returns its hint; undefined when the connector has no such key */
export async function deleteKey(tx: Executor, connectorId: number, id: number): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('connector_keys')
    .where('connector_id', '=', connectorId)
    .where('id', '=', id)
    .returning('hint')
    .executeTakeFirst()
  return row?.hint
}

/** Records when keys were last used; never moves a time backwards. */
export async function noteUses(db: Executor, uses: ReadonlyMap<number, Date>): Promise<void> {
  await sql`
    update connector_keys k set last_used_at = greatest(k.last_used_at, used.at)
    from unnest(${[...uses.keys()]}::int[], ${[...uses.values()]}::timestamptz[]) as used (id, at)
    where k.id = used.id`.execute(db)
}
