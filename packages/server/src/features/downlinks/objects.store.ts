import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'

export const downlinkObjects = {
  retention: [{ table: 'downlinks', time: 'requested_at', kept: 'values', deleteOld: deleteOldDownlinks }],
} as const satisfies FeatureObjects

/** Waiting downlinks are kept, however old they are. */
async function deleteOldDownlinks(
  tx: Executor,
  accountId: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from downlinks where id = any(array(
      select id from downlinks where account_id = ${accountId} and requested_at < ${before} and state <> 'requested'
      limit ${limit}))`.execute(tx)
  return Number(numAffectedRows ?? 0)
}
