import { sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'
import { deleteMaintenanceOf, deleteOldMaintenance } from './maintenance.store.ts'

export const alarmObjects = {
  kinds: {
    alarmMaintenance: {
      table: 'alarm_maintenances',
      subject: 'AlarmMaintenance',
      things: (caller) => sql`
        select m.id, m.title, s.id = ${anyOf([...caller.scopeIds('VirtualDevice', 'read')])} as visible,
          null::text as owner_kind, null::int as owner_id
        from alarm_maintenances m join scopes s on s.account_id = m.account_id and s.twin_id is null`,
      shownAs: 'alarmMaintenance',
      references: [
        {
          used: 'smartGroup',
          note: 'maintains',
          // What is over keeps nothing.
          rows: sql`select id as user_id, group_id as used_id from alarm_maintenances where ends_at > now()`,
        },
      ],
      withAccount: { delete: deleteMaintenanceOf },
    },
  },
  retention: [
    { table: 'alarms', time: 'resolved_at', kept: 'values', deleteOld: deleteOldAlarms },
    { table: 'alarm_maintenances', time: 'ends_at', kept: 'values', deleteOld: deleteOldMaintenance },
  ],
} as const satisfies FeatureObjects<'alarmMaintenance'>

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
