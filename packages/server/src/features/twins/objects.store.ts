import { sql } from 'kysely'
import { anyOf } from '../../platform/db/index.ts'
import type { FeatureObjects } from '../objects/index.ts'
import { readScopes } from './policy.ts'

export const twinObjects = {
  kinds: {
    digitalTwin: {
      table: 'twins',
      subject: 'DigitalTwin',
      things: (caller) => sql`
        select id, title, scope_id = ${anyOf(readScopes(caller, 'digitalTwin'))} as visible
        from twins where category = 'digitalTwin'`,
      withAccount: {
        blocks: 'twin',
        rows: (id) => sql`select id, title from twins where account_id = ${id} and category = 'digitalTwin'`,
      },
      favourite: true,
    },
    state: { table: 'states', subject: 'State', withAccount: 'owner' },
  },
} as const satisfies FeatureObjects<'digitalTwin' | 'state'>
