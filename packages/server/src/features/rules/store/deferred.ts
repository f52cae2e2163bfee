import { anyOf, type Executor } from '../../../platform/db/index.ts'

/** Rules with evaluations in the queue of slow rules, with their accounts. */
export async function readDeferred(db: Executor): Promise<{ ruleId: number; accountId: number }[]> {
  const rows = await db
    .selectFrom('rule_deferred as d')
    .innerJoin('rules as r', 'r.id', 'd.rule_id')
    .select(['d.rule_id', 'r.account_id'])
    .orderBy('d.rule_id')
    .execute()
  return rows.map(({ rule_id: ruleId, account_id: accountId }) => ({ ruleId, accountId }))
}

/** Notes that evaluations of these rules are in the queue of slow rules. */
export async function addDeferred(tx: Executor, ruleIds: readonly number[]): Promise<void> {
  if (ruleIds.length === 0) return
  await tx
    .insertInto('rule_deferred')
    .values(ruleIds.map((rule_id) => ({ rule_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function removeDeferred(db: Executor, ruleId: number): Promise<void> {
  await db.deleteFrom('rule_deferred').where('rule_id', '=', ruleId).execute()
}

/** The accounts of rules, locked against deletion until the transaction ends. Deleted rules are missing. */
export async function accountsOfRules(
  tx: Executor,
  ruleIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await tx
    .selectFrom('rules')
    .select(['id', 'account_id'])
    .where('id', '=', anyOf(ruleIds))
    .orderBy('id')
    .forKeyShare()
    .execute()
  return new Map(rows.map(({ id, account_id }) => [id, account_id]))
}
