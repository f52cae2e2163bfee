import { sql } from 'kysely'
import { anyOf } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { FeatureObjects } from '../objects/index.ts'
import { boardScopes } from './routes.ts'
import { deleteBoardsOf, followTwins, readDefinitions } from './store/boards.ts'

const visible = (caller: Caller) => sql`d.scope_id = ${anyOf(boardScopes(caller))} as visible`

export const dashboardObjects = {
  kinds: {
    dashboard: {
      table: 'dashboards',
      subject: 'Dashboard',
      things: (caller) => sql`
        select d.id, d.name as title, ${visible(caller)}, null::text as owner_kind, null::int as owner_id
        from dashboards d`,
      used: { as: 'dashboard', notFound: 'DASHBOARD_NOT_FOUND' },
      shownAs: 'dashboard',
      references: [
        {
          used: 'twin',
          note: 'belongs',
          rows: sql`select id as user_id, parent_twin_id as used_id from dashboards`,
        },
      ],
      withAccount: { delete: deleteBoardsOf },
      favourite: true,
    },
    widget: {
      table: 'widgets',
      subject: null,
      things: (caller) => sql`
        select w.id, d.id as shown_id, d.name as title, ${visible(caller)}, null::text as owner_kind,
          null::int as owner_id
        from widgets w join dashboards d on d.id = w.dashboard_id`,
      shownAs: 'dashboard',
      isPart: true,
      definitions: { read: readDefinitions },
      withAccount: 'owner',
    },
  },
  hooks: { twinsMoved: followTwins },
} as const satisfies FeatureObjects<'dashboard' | 'widget'>
