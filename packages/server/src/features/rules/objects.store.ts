import { sql } from 'kysely'
import { accountsBelow } from '../../platform/db/accountTree.ts'
import type { Executor } from '../../platform/db/index.ts'
import { type FeatureObjects, viewOf } from '../objects/index.ts'
import { readScopes } from '../twins/index.ts'
import { deleteOldDeliveries } from './actions/deliveries/store.ts'
import { existingRules, historyRetention, nextRules } from './store/history.ts'
import { isVisible } from './store/homes.ts'
import { StoredDefinition } from './store/pipeline.ts'
import { usesOfRule } from './uses.ts'

export const ruleObjects = {
  kinds: {
    rule: {
      table: 'rules',
      subject: 'Rule',
      things: (caller) => sql`
        select r.id, coalesce(t.title, p.title) || ' · ' || r.title as title, coalesce(t.category, 'deviceTemplate') as owner_kind,
          coalesce(t.id, p.id) as owner_id, coalesce(${isVisible(readScopes(caller, 'digitalTwin'), { rule: 'r', twin: 't' })}, false) as visible
        from rules r left join twins t on t.id = r.twin_id left join ${viewOf('deviceTemplates')} p on p.id = r.template_id`,
      shownAs: 'rule',
      definitions: { read: readDefinitions },
      owned: { next: nextRules, existing: existingRules },
      withAccount: 'owner',
    },
  },
  views: { rules: sql`select id, title, search from rules` },
  retention: [
    ...historyRetention,
    { table: 'rule_deliveries', time: 'created_at', kept: 'values', deleteOld: deleteOldDeliveries },
  ],
  counts: { ruleMails: countRecipients },
} as const satisfies FeatureObjects<'rule'>

async function readDefinitions(db: Executor, after: number, limit: number) {
  const rows = await db
    .selectFrom('rules')
    .select(['id', 'triggers', 'metrics', 'conditions', 'actions', 'many'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ id: row.id, uses: usesOfRule(StoredDefinition.parse(row)) }))
}

/** Recipients of rule mails in the last hour, of the account and all below it. */
async function countRecipients(db: Executor, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(cardinality(recipients)), 0)::int as count from mails
    where origin ? 'ruleId' and created_at > now() - interval '1 hour'
      and account_id in (select id from ${accountsBelow(accountId)} below)`.execute(db)
  return rows[0]?.count ?? 0
}
