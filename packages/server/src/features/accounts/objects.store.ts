import { sql } from 'kysely'
import type { FeatureObjects } from '../objects/index.ts'
import { deleteAccount } from './store.ts'

export const accountObjects = {
  kinds: {
    tenant: {
      table: 'accounts',
      subject: 'Tenant',
      withAccount: [
        {
          blocks: 'tenant',
          rows: (id) => sql`select id, name as title from accounts where parent_id = ${id}`,
        },
        { delete: deleteAccount },
      ],
    },
  },
} as const satisfies FeatureObjects<'tenant'>
