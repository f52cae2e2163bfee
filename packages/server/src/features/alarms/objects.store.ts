import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'
import { deleteOldMaintenance } from './maintenance.store.ts'

export const alarmObjects = {
  retention: [
    { table: 'alarms', time: 'resolved_at', kept: 'values', deleteOld: deleteOldAlarms },
    { table: 'alarm_maintenances', time: 'ends_at', kept: 'values', deleteOld: deleteOldMaintenance },
  ],
} as const satisfies FeatureObjects

/** An open alarm is kept, however old it is. */
async function deleteOldAlarms(
  tx: Executor,
  accountId: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from alarms where id = any(array(
      select id from alarms where account_id = ${accountId} and resolved_at < ${before} limit ${limit}))`.execute(
    tx,
  )
  return Number(numAffectedRows ?? 0)
}
