import { sql } from 'kysely'
import { anyOf } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'
import { deleteGroupsOf } from './smart/groups.store.ts'
import { groupForChange, groupScopes, managedScopes, requireGroup } from './smart/groups.ts'

export const groupObjects = {
  kinds: {
    smartGroup: {
      table: 'smart_groups',
      subject: 'SmartGroup',
      things: (caller) => sql`
        select id, title, scope_id = ${anyOf(groupScopes(caller))} as visible, null::text as owner_kind,
          null::int as owner_id
        from smart_groups`,
      used: { as: 'smartGroup', notFound: 'SMART_GROUP_NOT_FOUND' },
      withAccount: { delete: deleteGroupsOf },
      favourite: true,
      files: {
        as: 'smartGroup',
        column: 'group_id',
        ids: sql`select id from smart_groups`,
        mayChange: async (db, caller, id) =>
          managedScopes(caller).includes((await requireGroup(db, caller, id)).scopeId),
        lockForChange: groupForChange,
      },
    },
  },
} as const satisfies FeatureObjects<'smartGroup'>
