import {
  type AccountFlag,
  type FeatureFlag,
  type FlaggedAccount,
  featureFlags,
} from '@leitstand/contract/featureFlags'
import { parseSearch } from '@leitstand/contract/search'
import { sql } from 'kysely'
import { accountsUp } from '../../../platform/db/accountTree.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { matchesTexts } from '../../../platform/db/textFilter.ts'

const known = Object.keys(featureFlags) as FeatureFlag[]

interface SetFlag {
  flag: string
  enabled: boolean
  /** levels above the account; 0 is the account itself */
  distance: number
}

/** Pure. The flags from what an account and those above have set, nearest first. */
function flagsFrom(set: readonly SetFlag[]): AccountFlag[] {
  return known.map((flag) => {
    const of = set.filter((row) => row.flag === flag)
    const own = of.find(({ distance }) => distance === 0)?.enabled ?? null
    const above = of.find(({ distance }) => distance > 0)?.enabled
    const inherited = above ?? featureFlags[flag]
    const source = own !== null ? 'own' : above !== undefined ? 'above' : 'default'
    return { flag, own, inherited, effective: own ?? inherited, source }
  })
}

/** The flags of an account. Those this version does not know, after a downgrade, are left out. */
export async function readFlags(db: Executor, accountId: number): Promise<AccountFlag[]> {
  const { rows } = await sql<SetFlag>`
    select f.flag, f.enabled, up.distance from ${accountsUp(accountId)} up
    join feature_flags f on f.account_id = up.id order by up.distance`.execute(db)
  return flagsFrom(rows)
}

export interface FlagListInput {
  offset: number
  limit: number
  search: string | undefined
  /** only accounts that set one of these themselves */
  setHere: readonly FeatureFlag[] | undefined
}

/** Accounts whose own scope is one of these, with their flags; by name. An account above is named if its scope is, too. */
export async function listFlagged(
  db: Executor,
  scopeIds: readonly number[],
  { offset, limit, search, setHere }: FlagListInput,
): Promise<{ items: FlaggedAccount[]; total: number }> {
  const scopes = sql`(select account_id from scopes where twin_id is null and id = any(${[...scopeIds]}::int[]))`
  const conditions = [sql`a.id in ${scopes}`]
  const words = parseSearch(search ?? '')
  if (words) conditions.push(matchesTexts([sql`a.name`], words))
  if (setHere && setHere.length > 0)
    conditions.push(
      sql`exists (select from feature_flags f where f.account_id = a.id and f.flag = any(${[...setHere]}::text[]))`,
    )
  const where = sql.join(conditions, sql` and `)
  const { rows } = await sql<Omit<FlaggedAccount, 'flags'> & { set: SetFlag[] | null }>`
    select a.id, a.name,
      case when above.id in ${scopes} then json_build_object('id', above.id, 'name', above.name) end as parent,
      (select json_agg(json_build_object('flag', f.flag, 'enabled', f.enabled, 'distance', up.distance) order by up.distance)
        from ${accountsUp(sql`a.id`)} up join feature_flags f on f.account_id = up.id) as set
    from accounts a left join accounts above on above.id = a.parent_id
    where ${where} order by fold(a.name), a.id offset ${offset} limit ${limit}`.execute(db)
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from accounts a where ${where}`.execute(db)
  return {
    items: rows.map(({ set, ...account }) => ({ ...account, flags: flagsFrom(set ?? []) })),
    total: counted.rows[0]?.total ?? 0,
  }
}

/** Sets a flag of an account; null removes the setting. */
export async function saveFlag(
  tx: Executor,
  accountId: number,
  flag: FeatureFlag,
  enabled: boolean | null,
): Promise<void> {
  if (enabled === null) {
    await tx
      .deleteFrom('feature_flags')
      .where('account_id', '=', accountId)
      .where('flag', '=', flag)
      .execute()
    return
  }
  await tx
    .insertInto('feature_flags')
    .values({ account_id: accountId, flag, enabled })
    .onConflict((conflict) => conflict.columns(['account_id', 'flag']).doUpdateSet({ enabled }))
    .execute()
}
