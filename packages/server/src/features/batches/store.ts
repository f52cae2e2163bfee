import { sql } from 'kysely'
import { type Executor, jsonb } from '../../platform/db/index.ts'
import { viewOf } from '../objects/index.ts'
import { ints } from '../twins/index.ts'

/** A device of a selection. */
export interface Selected {
  id: number
  title: string
  accountId: number
  accountName: string
  scopeId: number
  /** whether its connector has access to a network server */
  remote: boolean
}

/** The devices in these scopes, in the order of their ids. */
export async function readSelected(
  db: Executor,
  scopeIds: readonly number[],
  ids: readonly number[],
): Promise<Selected[]> {
  const { rows } = await sql<Selected>`
    select t.id, t.title, t.account_id as "accountId", a.name as "accountName", t.scope_id as "scopeId",
      c.remote <> 'none' as remote
    from twins t join accounts a on a.id = t.account_id join virtual_devices d on d.twin_id = t.id
      join ${viewOf('connectors')} c on c.id = d.connector_id
    where t.id = any(${ints(ids)}) and t.category = 'virtualDevice' and t.scope_id = any(${ints(scopeIds)})
    order by t.id`.execute(db)
  return rows
}

/** A twin of a selection. */
export type SelectedTwin = Omit<Selected, 'remote'>

/** The twins in these scopes, in the order of their ids, or the lowest in the tree first. */
export async function readSelectedTwins(
  db: Executor,
  scopeIds: readonly number[],
  ids: readonly number[],
  order: 'id' | 'lowest' = 'id',
): Promise<SelectedTwin[]> {
  const { rows } = await sql<SelectedTwin>`
    with recursive up as (
      select id, parent_id, 0 as depth from twins where id = any(${ints(order === 'lowest' ? ids : [])})
      union all
      select up.id, p.parent_id, up.depth + 1 from up join twins p on p.id = up.parent_id),
    depths as (select id, max(depth) as depth from up group by id)
    select t.id, t.title, t.account_id as "accountId", a.name as "accountName", t.scope_id as "scopeId"
    from twins t join accounts a on a.id = t.account_id left join depths on depths.id = t.id
    where t.id = any(${ints(ids)}) and t.category = 'digitalTwin' and t.scope_id = any(${ints(scopeIds)})
    order by depths.depth desc nulls last, t.id`.execute(db)
  return rows
}

/** A device template in one of these scopes. */
export async function findTemplate(
  db: Executor,
  scopeIds: readonly number[],
  id: number,
): Promise<{ accountId: number; isPublished: boolean } | undefined> {
  const { rows } = await sql<{ accountId: number; isPublished: boolean }>`
    select account_id as "accountId", publication is not null as "isPublished" from ${viewOf('deviceTemplates')} t
    where id = ${id} and scope_id = any(${ints(scopeIds)})`.execute(db)
  return rows[0]
}

export interface Upload {
  id: string
  fileName: string
  header: string[]
}

/** Maximum files per user; older ones are deleted. */
const uploadsMax = 5

/** Stores a file until it is imported, or for a day. */
export async function insertUpload(
  tx: Executor,
  upload: Upload & { parts: readonly string[][][] },
  userId: number | null,
  now: Date,
): Promise<void> {
  await sql`
    insert into bulk_uploads (id, user_id, file_name, header, created_at)
    values (${upload.id}, ${userId}, ${upload.fileName}, ${upload.header}::text[], ${now})`.execute(tx)
  for (const [part, rows] of upload.parts.entries())
    await tx
      .insertInto('bulk_upload_parts')
      .values({ upload_id: upload.id, part, rows: jsonb(rows) })
      .execute()
  await sql`
    delete from bulk_uploads where id in (
      select id from bulk_uploads where user_id is not distinct from ${userId}::int
      order by created_at desc, id offset ${uploadsMax})`.execute(tx)
}

/** A file uploaded by this user. */
export async function findUpload(
  db: Executor,
  id: string,
  userId: number | null,
): Promise<(Upload & { rows: string[][] }) | undefined> {
  const { rows } = await sql<Upload>`
    select id, file_name as "fileName", header from bulk_uploads
    where id = ${id} and user_id is not distinct from ${userId}::int`.execute(db)
  const [upload] = rows
  if (!upload) return undefined
  const all: string[][] = []
  for (let part = 0; ; part++) {
    const { rows: found } = await sql<{ rows: string[][] }>`
      select rows from bulk_upload_parts where upload_id = ${id} and part = ${part}`.execute(db)
    const [next] = found
    if (!next) return { ...upload, rows: all }
    for (const row of next.rows) all.push(row)
  }
}

export async function deleteUpload(tx: Executor, id: string): Promise<void> {
  await tx.deleteFrom('bulk_uploads').where('id', '=', id).execute()
}

/** Deletes files that were uploaded before a time. */
export async function deleteOldUploads(db: Executor, before: Date): Promise<void> {
  await db.deleteFrom('bulk_uploads').where('created_at', '<', before).execute()
}

/** An object that a cell can reference by id or title. */
export interface Nameable {
  id: number
  /** lower case */
  title: string
}

/** A twin in these scopes that can be a parent. */
export async function findParent(
  db: Executor,
  scopeIds: readonly number[],
  id: number,
): Promise<{ accountId: number } | undefined> {
  const { rows } = await sql<{ accountId: number }>`
    select account_id as "accountId" from twins
    where id = ${id} and category = 'digitalTwin' and scope_id = any(${ints(scopeIds)})`.execute(db)
  return rows[0]
}

/** Twins of an account and these scopes whose id or title, in lower case, is one of these. */
export async function findParents(
  db: Executor,
  { accountId, scopeIds }: { accountId: number; scopeIds: readonly number[] },
  names: readonly string[],
): Promise<(Nameable & { scopeId: number })[]> {
  if (names.length === 0) return []
  const { rows } = await sql<Nameable & { scopeId: number }>`
    select t.id, lower(t.title) as title, t.scope_id as "scopeId" from twins t
    where t.category = 'digitalTwin' and t.account_id = ${accountId} and t.scope_id = any(${ints(scopeIds)})
      and (lower(t.title) = any(${[...names]}::text[]) or t.id::text = any(${[...names]}::text[]))`.execute(
    db,
  )
  return rows
}
