import type { ServiceBuilder } from '@leitstand/contract'
import { sql } from 'kysely'
import { accountsUp } from '../../../platform/db/accountTree.ts'
import type { Executor } from '../../../platform/db/index.ts'

export interface BuilderInput {
  title: string
  description: string
  url: string
  applicationId: number | null
}

const columns = sql`
  b.id, b.account_id as "accountId", b.title, b.description, b.url,
  case when p.id is null then null else json_build_object('id', p.id, 'title', p.title) end as application, b.version
  from service_builders b left join applications p on p.id = b.application_id`

export async function listBuilders(
  db: Executor,
  accountId: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ items: ServiceBuilder[]; total: number }> {
  const { rows } = await sql<ServiceBuilder>`
    select ${columns} where b.account_id = ${accountId}
    order by lower(b.title), b.id offset ${offset} limit ${limit}`.execute(db)
  return { items: rows, total: await countBuilders(db, accountId) }
}

export async function countBuilders(db: Executor, accountId: number): Promise<number> {
  const { total } = await db
    .selectFrom('service_builders')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** A service builder of an account. */
export async function findBuilder(
  db: Executor,
  accountId: number,
  id: number,
): Promise<ServiceBuilder | undefined> {
  const { rows } = await sql<ServiceBuilder>`
    select ${columns} where b.account_id = ${accountId} and b.id = ${id}`.execute(db)
  return rows[0]
}

/** Whether an application belongs to an account or to one above it. */
export async function isUsable(db: Executor, accountId: number, applicationId: number): Promise<boolean> {
  const { rows } = await sql`
    select from applications where id = ${applicationId}
      and account_id in (select id from ${accountsUp(accountId)} up)`.execute(db)
  return rows.length > 0
}

/** @returns the id */
export async function insertBuilder(tx: Executor, accountId: number, input: BuilderInput): Promise<number> {
  const { id } = await tx
    .insertInto('service_builders')
    .values({ account_id: accountId, ...toColumns(input) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** @returns false on a version conflict */
export async function updateBuilder(
  tx: Executor,
  id: number,
  version: number,
  input: BuilderInput,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('service_builders')
    .set({ ...toColumns(input), version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteBuilder(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('service_builders').where('id', '=', id).execute()
}

function toColumns({ title, description, url, applicationId }: BuilderInput) {
  return { title, description, url, application_id: applicationId }
}
