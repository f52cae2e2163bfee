import { sql } from 'kysely'
import { anyOf } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'
import { filesOf } from './files.store.ts'
import { readScopes, stateScopes } from './policy.ts'
import { findWrongLinks } from './store/links.ts'
import { existingStates, nextStates } from './store/stateIds.ts'

export const twinObjects = {
  kinds: {
    digitalTwin: {
      table: 'twins',
      subject: 'DigitalTwin',
      things: (caller) => sql`
        select id, title, scope_id = ${anyOf(readScopes(caller, 'digitalTwin'))} as visible,
          null::text as owner_kind, null::int as owner_id
        from twins where category = 'digitalTwin'`,
      used: {
        as: 'twin',
        notFound: 'DTWIN_NOT_FOUND',
        parts: { kind: 'state', ids: (id) => sql`select id from states where twin_id = ${id}` },
      },
      shownAs: 'digitalTwin',
      references: [
        {
          used: 'twin',
          note: 'child',
          rows: sql`select id as user_id, parent_id as used_id from twins where category = 'digitalTwin'`,
        },
      ],
      withAccount: {
        blocks: 'twin',
        rows: (id) => sql`select id, title from twins where account_id = ${id} and category = 'digitalTwin'`,
      },
      files: filesOf('digitalTwin', 'DTWIN_NOT_FOUND'),
      favourite: true,
    },
    state: {
      table: 'states',
      subject: 'State',
      things: (caller) => {
        const { digitalTwin, virtualDevice } = stateScopes(caller)
        return sql`
          select s.id, t.title || ' · ' || s.title as title, t.category as owner_kind, t.id as owner_id,
            case t.category when 'digitalTwin' then t.scope_id = ${anyOf(digitalTwin)}
              else t.scope_id = ${anyOf(virtualDevice)} end as visible
          from states s join twins t on t.id = s.twin_id`
      },
      used: { as: 'state', notFound: 'DTWIN_STATE_NOT_FOUND' },
      shownAs: 'state',
      references: [
        {
          used: 'state',
          note: 'source',
          rows: sql`select state_id as user_id, source_state_id as used_id from state_links`,
        },
        {
          used: 'connector',
          note: 'listens',
          rows: sql`select id as user_id, connector_id as used_id from states where connector_id is not null`,
        },
      ],
      check: findWrongLinks,
      owned: { next: nextStates, existing: existingStates },
      withAccount: 'owner',
    },
  },
  views: {
    stateLinks: sql`
      select state_id, source_state_id from state_links
      union all select state_id, source_state_id from state_members`,
    states: sql`
      select id, twin_id, key, title, unit, source, source_settings, value_type, decimals, transformer, position_axis,
        not of_device and (lower_bound is not null or upper_bound is not null or lower_threshold is not null
          or upper_threshold is not null) as has_level,
        version
      from states`,
    twins: sql`select id, category, account_id, scope_id, title, disabled from twins`,
  },
} as const satisfies FeatureObjects<'digitalTwin' | 'state'>
