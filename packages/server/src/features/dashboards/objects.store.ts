import { sql } from 'kysely'
import { anyOf } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'
import { boardScopes } from './routes.ts'
import { deleteBoardsOf } from './store/boards.ts'

export const dashboardObjects = {
  kinds: {
    dashboard: {
      table: 'dashboards',
      subject: 'Dashboard',
      things: (caller) =>
        sql`select id, name as title, scope_id = ${anyOf(boardScopes(caller))} as visible from dashboards`,
      withAccount: { delete: deleteBoardsOf },
      favourite: true,
    },
    widget: { table: 'widgets', subject: null, withAccount: 'owner' },
  },
} as const satisfies FeatureObjects<'dashboard' | 'widget'>
