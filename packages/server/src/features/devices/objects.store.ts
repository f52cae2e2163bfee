import { sql } from 'kysely'
import { anyOf } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'
import { readScopes } from '../twins/index.ts'
import { countInAccount } from './store/statistics.ts'

export const deviceObjects = {
  kinds: {
    virtualDevice: {
      table: 'virtual_devices',
      subject: 'VirtualDevice',
      things: (caller) => sql`
        select v.twin_id as id, t.title, v.scope_id = ${anyOf(readScopes(caller, 'virtualDevice'))} as visible
        from virtual_devices v left join twins t on t.id = v.twin_id`,
      withAccount: {
        blocks: 'virtualDevice',
        rows: (id) =>
          sql`select id, title from twins where account_id = ${id} and category = 'virtualDevice'`,
      },
      favourite: true,
    },
  },
  counts: { devices: countInAccount },
} as const satisfies FeatureObjects<'virtualDevice'>
