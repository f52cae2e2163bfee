import type { AlarmTimes } from '@leitstand/contract/alarms'
import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'

export interface StoredTimes extends AlarmTimes {
  fromAccount: { id: number; name: string }
}

/** The times of an account: its own, or those of the nearest above it that has some. */
export async function findTimes(db: Executor, accountId: number): Promise<StoredTimes | undefined> {
  const { rows } = await sql<AlarmTimes & { id: number; name: string }>`
    with recursive up as (
      select id, name, parent_id, 0 as depth from accounts where id = ${accountId}
      union all
      select a.id, a.name, a.parent_id, up.depth + 1 from up join accounts a on a.id = up.parent_id)
    select up.id, up.name, s.open_after_s as "openAfterS", s.resolve_after_s as "resolveAfterS",
      s.reopen_within_s as "reopenWithinS"
    from up join alarm_settings s on s.account_id = up.id order by up.depth limit 1`.execute(db)
  const row = rows[0]
  if (row === undefined) return undefined
  const { id, name, ...times } = row
  return { ...times, fromAccount: { id, name } }
}

/** @param times null: as above the account */
export async function saveTimes(tx: Executor, accountId: number, times: AlarmTimes | null): Promise<void> {
  if (times === null) {
    await tx.deleteFrom('alarm_settings').where('account_id', '=', accountId).execute()
    return
  }
  const row = {
    open_after_s: times.openAfterS,
    resolve_after_s: times.resolveAfterS,
    reopen_within_s: times.reopenWithinS,
  }
  await tx
    .insertInto('alarm_settings')
    .values({ account_id: accountId, ...row })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(row))
    .execute()
}
