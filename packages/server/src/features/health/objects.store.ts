import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'
import { noteRefreshes } from './store.ts'

export const healthObjects = {
  hooks: {
    devicesSwitched: refresh,
    driversChanged: refresh,
  },
  views: {
    healthConfigs: sql`select twin_id as device_id, from_template from device_health_configs`,
    healthProblems: sql`select twin_id as device_id, category from device_health_log where until is null`,
    healthRefreshes: sql`select twin_id as device_id from device_health_refreshes`,
  },
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

async function refresh(tx: Executor, deviceIds: readonly number[]): Promise<void> {
  await noteRefreshes(deviceIds).execute(tx)
}
