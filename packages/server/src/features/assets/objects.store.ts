import { sql } from 'kysely'
import { anyOf } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'
import { deleteOldLoans } from './loans.store.ts'
import { sightOf } from './policy.ts'
import { deleteOldStays } from './stays.store.ts'

export const assetObjects = {
  kinds: {
    asset: {
      table: 'assets',
      subject: 'Asset',
      things: (caller) => sql`
        select a.twin_id as id, w.title, w.scope_id = ${anyOf(sightOf(caller).read)} as visible,
          'digitalTwin'::text as owner_kind, a.twin_id as owner_id
        from assets a join twins w on w.id = a.twin_id`,
      withAccount: 'owner',
      // A thing is an asset before anything is noted about it.
      favourite: (caller) => sql`
        select w.id, w.title, w.scope_id = ${anyOf(sightOf(caller).read)} as visible
        from twins w where w.type = 'trackable' and w.category = 'digitalTwin'`,
    },
  },
  retention: [
    { table: 'asset_stays', time: 'until_at', kept: 'values', deleteOld: deleteOldStays },
    { table: 'asset_loans', time: 'returned_at', kept: 'yearAtLeast', deleteOld: deleteOldLoans },
  ],
} as const satisfies FeatureObjects<'asset'>
