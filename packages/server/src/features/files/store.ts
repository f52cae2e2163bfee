import type { StoredFile } from '@leitstand/contract/files'
import { type RawBuilder, sql } from 'kysely'
import { accountsBelow } from '../../platform/db/accountTree.ts'
import type { Executor } from '../../platform/db/index.ts'
import { viewOf } from '../objects/index.ts'
import { kindsWithFiles, kindWithFiles } from './kinds.ts'

/** The object a file is attached to. */
export type Target = Pick<StoredFile, 'object' | 'objectId'>

type FileRow = Omit<StoredFile, 'createdAt'> & { createdAt: Date }

const columns = () => sql`f.id,
  case ${sql.join(
    kindsWithFiles().map(
      ({ files: { as, column, ids } }) =>
        sql`when exists (select from (${ids}) as o where o.id = f.${sql.ref(column)}) then ${as}`,
    ),
    sql` `,
  )} end as object,
  coalesce(f.twin_id, f.driver_id, f.group_id, f.ticket_id) as "objectId", f.role, f.name, f.media_type as type, f.size, f.hash,
  f.created_by as "createdBy", f.created_at as "createdAt"`

const toFile = (row: FileRow): StoredFile => ({ ...row, createdAt: row.createdAt.toISOString() })

function onTarget({ object, objectId }: Target): RawBuilder<boolean> {
  return sql<boolean>`f.${sql.ref(kindWithFiles(object).files.column)} = ${objectId}`
}

/** The picture first, then by name. */
export async function listFiles(db: Executor, target: Target): Promise<StoredFile[]> {
  const { rows } = await sql<FileRow>`
    select ${columns()} from files f where ${onTarget(target)}
    order by f.role <> 'picture', f.role, f.name collate natural_order, f.id limit 100`.execute(db)
  return rows.map(toFile)
}

export async function findFile(db: Executor, id: number): Promise<StoredFile | undefined> {
  const { rows } = await sql<FileRow>`select ${columns()} from files f where f.id = ${id}`.execute(db)
  return rows[0] && toFile(rows[0])
}

export async function readContent(db: Executor, id: number): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('file_contents')
    .select('bytes')
    .where('file_id', '=', id)
    .executeTakeFirst()
  return row?.bytes
}

export interface NewFile extends Pick<StoredFile, 'role' | 'name' | 'type' | 'hash' | 'createdBy'> {
  accountId: number
  bytes: Buffer
}

export async function insertFile(tx: Executor, target: Target, file: NewFile, now: Date): Promise<number> {
  const { id } = await tx
    .insertInto('files')
    .values({
      account_id: file.accountId,
      [kindWithFiles(target.object).files.column]: target.objectId,
      role: file.role,
      name: file.name,
      media_type: file.type,
      size: file.bytes.length,
      hash: file.hash,
      created_by: file.createdBy,
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx.insertInto('file_contents').values({ file_id: id, bytes: file.bytes }).execute()
  return id
}

/** @returns whether it existed */
export async function deleteFile(tx: Executor, id: number): Promise<boolean> {
  const row = await tx.deleteFrom('files').where('id', '=', id).returning('id').executeTakeFirst()
  return row !== undefined
}

/** Total bytes of the files of an account and all accounts below it. */
export async function sumFiles(db: Executor, accountId: number): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(size), 0)::bigint as bytes from (
      select account_id, size from files
      union all
      select account_id, size from ${viewOf('monitorMedia')} as m) as stored
    where account_id in (select id from ${accountsBelow(accountId)} below)`.execute(db)
  return rows[0]?.bytes ?? 0
}

/** Number and total bytes of the files of some objects. */
export async function sizeOfFiles(
  db: Executor,
  object: Target['object'],
  ids: readonly number[],
): Promise<{ files: number; bytes: number }> {
  const column = sql.ref(kindWithFiles(object).files.column)
  const { rows } = await sql<{ files: number; bytes: number }>`
    select count(*)::int as files, coalesce(sum(size), 0)::bigint as bytes from files
    where ${column} = any(${[...ids]}::int[])`.execute(db)
  return rows[0] ?? { files: 0, bytes: 0 }
}

/**
 * Copies the files of an object to a new one; the contents never leave the database. The caller has checked the limit
 * of the account.
 * @returns how many
 */
export async function copyFiles(
  tx: Executor,
  object: Target['object'],
  { from, to, accountId }: { from: number; to: number; accountId: number },
  now: Date,
): Promise<number> {
  const column = sql.ref(kindWithFiles(object).files.column)
  const { rows } = await sql<{ id: number }>`
    select id from files where ${column} = ${from} order by id`.execute(tx)
  for (const { id } of rows)
    await sql`
      with copied as (
        insert into files (account_id, ${column}, role, name, media_type, size, hash, created_by, created_at)
        select ${accountId}, ${to}, role, name, media_type, size, hash, created_by, ${now} from files where id = ${id}
        returning id)
      insert into file_contents (file_id, bytes)
      select copied.id, c.bytes from copied, file_contents c where c.file_id = ${id}`.execute(tx)
  return rows.length
}
