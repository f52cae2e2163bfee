import type { AssetLoan } from '@leitstand/contract/assets'
import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'

/** The caller has locked the asset. @returns whether it was not lent already */
export async function insertLoan(
  tx: Executor,
  twinId: number,
  loan: { borrower: string; dueAt: string | null; at: Date },
): Promise<boolean> {
  const { rows } = await sql`
    insert into asset_loans (twin_id, borrower, lent_at, due_at)
    select ${twinId}, ${loan.borrower}, ${loan.at}, ${loan.dueAt}
    where not exists (select from asset_loans where twin_id = ${twinId} and returned_at is null)
    returning id`.execute(tx)
  return rows.length > 0
}

/** @returns who had it; undefined: it was not lent */
export async function endLoan(tx: Executor, twinId: number, at: Date): Promise<string | undefined> {
  const ended = await tx
    .updateTable('asset_loans')
    .set({ returned_at: at })
    .where('twin_id', '=', twinId)
    .where('returned_at', 'is', null)
    .returning('borrower')
    .executeTakeFirst()
  return ended?.borrower
}

/** Newest first. */
export async function listLoans(
  db: Executor,
  twinId: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ items: AssetLoan[]; total: number }> {
  const { rows } = await sql<{
    id: number
    borrower: string
    lent_at: Date
    due_at: string | null
    returned_at: Date | null
    total: number
  }>`
    select id, borrower, lent_at, due_at, returned_at, count(*) over ()::int as total from asset_loans
    where twin_id = ${twinId} order by id desc offset ${offset} limit ${limit}`.execute(db)
  return {
    items: rows.map(({ id, borrower, lent_at, due_at, returned_at }) => ({
      id,
      borrower,
      from: lent_at.toISOString(),
      dueAt: due_at,
      until: returned_at?.toISOString() ?? null,
    })),
    total: rows[0]?.total ?? 0,
  }
}

/** Ended loans of an account, older than a time. @returns how many were deleted */
export async function deleteOldLoans(
  tx: Executor,
  accountId: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from asset_loans where id = any(array(
      select l.id from asset_loans l join assets a on a.twin_id = l.twin_id
      where a.account_id = ${accountId} and l.returned_at < ${before} limit ${limit}))`.execute(tx)
  return Number(numAffectedRows ?? 0)
}
