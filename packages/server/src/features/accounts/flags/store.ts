import { type AccountFlag, type FeatureFlag, featureFlags } from '@leitstand/contract/featureFlags'
import { sql } from 'kysely'
import { accountsUp } from '../../../platform/db/accountTree.ts'
import type { Executor } from '../../../platform/db/index.ts'

const known = Object.keys(featureFlags) as FeatureFlag[]

/** The flags of an account. Those this version does not know, after a downgrade, are left out. */
export async function readFlags(db: Executor, accountId: number): Promise<AccountFlag[]> {
  const { rows } = await sql<{ flag: string; enabled: boolean; distance: number }>`
    select f.flag, f.enabled, up.distance from ${accountsUp(accountId)} up
    join feature_flags f on f.account_id = up.id order by up.distance`.execute(db)
  return known.map((flag) => {
    const set = rows.filter((row) => row.flag === flag)
    const own = set.find(({ distance }) => distance === 0)?.enabled ?? null
    const inherited = set.find(({ distance }) => distance > 0)?.enabled ?? featureFlags[flag]
    return { flag, own, inherited, effective: own ?? inherited }
  })
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
