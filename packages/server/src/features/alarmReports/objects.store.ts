import { sql } from 'kysely'
import { anyOf } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'
import { deleteOldRuns, deleteReportsOf } from './store.ts'

export const alarmReportObjects = {
  kinds: {
    alarmReport: {
      table: 'alarm_reports',
      subject: 'AlarmReport',
      things: (caller) => sql`
        select id, title, scope_id = ${anyOf([...caller.scopeIds('VirtualDevice', 'manage')])} as visible,
          null::text as owner_kind, null::int as owner_id
        from alarm_reports`,
      shownAs: 'alarmReport',
      references: [
        {
          used: 'smartGroup',
          note: 'reports',
          rows: sql`select id as user_id, group_id as used_id from alarm_reports`,
        },
        {
          used: 'connector',
          note: 'sends',
          rows: sql`select id as user_id, connector_id as used_id from alarm_reports`,
        },
      ],
      withAccount: { delete: deleteReportsOf },
    },
  },
  retention: [{ table: 'alarm_report_runs', time: 'at', kept: 'values', deleteOld: deleteOldRuns }],
} as const satisfies FeatureObjects<'alarmReport'>
