import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'

export const letterObjects = {
  retention: [{ table: 'dead_letters', time: 'received_at', kept: 'values', deleteOld: deleteOldLetters }],
} as const satisfies FeatureObjects

async function deleteOldLetters(
  tx: Executor,
  accountId: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from dead_letters where id = any(array(
      select id from dead_letters where account_id = ${accountId} and received_at < ${before} limit ${limit}))`.execute(
    tx,
  )
  return Number(numAffectedRows ?? 0)
}
