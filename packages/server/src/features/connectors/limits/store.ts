import type { Executor } from '../../../platform/db/index.ts'

/** Limits of accounts that have their own, in messages per second; 0: no limit. */
export async function readAccountLimits(db: Executor): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('accounts')
    .select(['id', 'messages_per_second as perSecond'])
    .where('messages_per_second', 'is not', null)
    .execute()
  return new Map(rows.map(({ id, perSecond }) => [id, Number(perSecond)]))
}
