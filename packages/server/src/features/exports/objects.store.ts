import { sql } from 'kysely'
import { anyOf } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'
import { deleteDefinitionsOf, placesOf } from './definitions/store.ts'

export const exportObjects = {
  kinds: {
    savedExport: {
      table: 'export_definitions',
      subject: 'Export',
      things: (caller) => sql`
        select id, title, scope_id = ${anyOf(placesOf(caller))} as visible, null::text as owner_kind,
          null::int as owner_id
        from export_definitions`,
      shownAs: 'savedExport',
      references: [
        {
          used: 'smartGroup',
          note: 'exports',
          rows: sql`select id as user_id, group_id as used_id from export_definitions`,
        },
      ],
      withAccount: { delete: deleteDefinitionsOf },
    },
  },
} as const satisfies FeatureObjects<'savedExport'>
