import { sql } from 'kysely'
import { int4Array } from '../../../platform/db/arrays.ts'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import type { Retention } from '../../objects/index.ts'

/** How the history of rules is deleted with age. */
export const historyRetention = [
  {
    table: 'rule_executions',
    time: 'at',
    kept: 'values',
    owner: 'rule_id',
    of: 'rule',
    drop: async (tx, partition) => {
      await sql`alter table rule_executions detach partition ${sql.table(partition)}`.execute(tx)
      await sql`drop table ${sql.table(partition)}`.execute(tx)
    },
    deleteOf: deleteExecutions,
  },
  { table: 'rule_quiet', time: 'at', kept: 'values', deleteOld: deleteQuietOf },
] as const satisfies Retention[]

async function deleteExecutions(
  tx: Executor,
  partition: string,
  ruleIds: readonly number[],
  before: Date,
  limit: number,
): Promise<number> {
  const rows = sql.table(partition)
  const { numAffectedRows } = await sql`
    delete from ${rows} where ctid = any(array(
      select ctid from ${rows} where rule_id = any(${int4Array(ruleIds)}::int4[]) and at < ${before} limit ${limit}))`.execute(
    tx,
  )
  return Number(numAffectedRows ?? 0)
}

async function deleteQuietOf(tx: Executor, accountId: number, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from rule_quiet where ctid = any(array(
      select q.ctid from rule_quiet q join rules r on r.id = q.rule_id
      where r.account_id = ${accountId} and q.at < ${before} limit ${limit}))`.execute(tx)
  return Number(numAffectedRows ?? 0)
}

/** The next rules of an account after an id, in order. */
export async function nextRules(
  db: Executor,
  accountId: number,
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('rules')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Those of these rules that exist. */
export async function existingRules(db: Executor, ids: readonly number[]): Promise<number[]> {
  const rows = await db.selectFrom('rules').select('id').where('id', '=', anyOf(ids)).execute()
  return rows.map(({ id }) => id)
}
