import { sql } from 'kysely'
import { anyOf } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'

export const notificationObjects = {
  kinds: {
    alarmNotification: {
      table: 'alarm_notifications',
      subject: 'AlarmNotification',
      // Whoever manages the users of an account learns whose it is.
      things: (caller) => sql`
        select n.id, n.title || ' (' || u.username || ')' as title,
          n.user_id is not distinct from ${caller.userId}::int
            or s.id = ${anyOf([...caller.scopeIds('UserManagement', 'manage')])} as visible,
          null::text as owner_kind, null::int as owner_id
        from alarm_notifications n join users u on u.id = n.user_id
          join scopes s on s.account_id = u.account_id and s.twin_id is null`,
      shownAs: 'alarmNotification',
      references: [
        {
          used: 'smartGroup',
          note: 'notifies',
          rows: sql`select id as user_id, group_id as used_id from alarm_notifications`,
        },
      ],
      withAccount: 'owner',
    },
  },
} as const satisfies FeatureObjects<'alarmNotification'>
