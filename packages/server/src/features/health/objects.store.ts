import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'

export const healthObjects = {
  retention: [{ table: 'device_health_log', time: 'until', kept: 'values', deleteOld: deleteOldPeriods }],
} as const satisfies FeatureObjects

/** Health problems that are still open are kept, however old they are. */
async function deleteOldPeriods(
  tx: Executor,
  accountId: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from device_health_log where id = any(array(
      select id from device_health_log where until < ${before} and twin_id in (select id from twins where account_id = ${accountId})
      limit ${limit}))`.execute(tx)
  return Number(numAffectedRows ?? 0)
}
