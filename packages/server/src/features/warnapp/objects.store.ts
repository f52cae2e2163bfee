import { sql } from 'kysely'
import { anyOf } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'
import { sightOf } from './policy.ts'

export const warnappObjects = {
  kinds: {
    warnMonitor: {
      table: 'warn_monitors',
      subject: 'WarnMonitor',
      things: (caller) => sql`
        select m.id, coalesce(nullif(m.title, ''), w.title) as title,
          w.scope_id = ${anyOf([...sightOf(caller).read])} as visible, null::text as owner_kind, null::int as owner_id
        from warn_monitors m join twins w on w.id = m.id`,
      withAccount: 'owner',
      favourite: true,
      shownAs: 'warnMonitor',
      references: [
        {
          used: 'state',
          note: 'shows',
          rows: sql`select monitor_id as user_id, state_id as used_id from warn_states`,
        },
        { used: 'twin', note: 'belongs', rows: sql`select id as user_id, id as used_id from warn_monitors` },
      ],
    },
  },
  views: {
    monitorMedia: sql`
      select w.account_id, n.size from warn_media n join twins w on w.id = n.monitor_id`,
  },
} as const satisfies FeatureObjects<'warnMonitor'>
