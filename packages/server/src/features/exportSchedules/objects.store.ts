import { sql } from 'kysely'
import { anyOf } from '../../platform/db/index.ts'
import { placesOf } from '../exports/index.ts'
import type { FeatureObjects } from '../objects/index.ts'
import { deleteOldRuns } from './runs.store.ts'
import { deleteSchedulesOf } from './schedules.store.ts'

export const exportScheduleObjects = {
  kinds: {
    exportSchedule: {
      table: 'export_schedules',
      subject: 'ExportSchedule',
      things: (caller) => sql`
        select id, title, scope_id = ${anyOf(placesOf(caller))} as visible, null::text as owner_kind,
          null::int as owner_id
        from export_schedules`,
      shownAs: 'exportSchedule',
      references: [
        {
          used: 'smartGroup',
          note: 'exports',
          rows: sql`select id as user_id, group_id as used_id from export_schedules`,
        },
        {
          used: 'dashboard',
          note: 'exports',
          rows: sql`select id as user_id, dashboard_id as used_id from export_schedules`,
        },
        {
          used: 'connector',
          note: 'sends',
          rows: sql`
            select s.id as user_id, used_id from export_schedules s cross join unnest(s.connector_ids) as used_id`,
        },
      ],
      withAccount: { delete: deleteSchedulesOf },
    },
  },
  retention: [{ table: 'export_schedule_runs', time: 'at', kept: 'values', deleteOld: deleteOldRuns }],
} as const satisfies FeatureObjects<'exportSchedule'>
