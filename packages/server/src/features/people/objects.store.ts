import { sql } from 'kysely'
import type { FeatureObjects } from '../objects/index.ts'
import { deleteUsersOf } from './users/store.ts'

export const userObjects = {
  kinds: {
    user: {
      table: 'users',
      subject: 'User',
      withAccount: [
        // Users who have roles in other accounts.
        {
          blocks: 'user',
          rows: (id) => sql`
            select u.id, u.username as title from users u where u.account_id = ${id} and exists (
              select from user_access a join scopes s on s.id = a.scope_id
              where a.user_id = u.id and s.account_id <> ${id})`,
        },
        { delete: deleteUsersOf },
      ],
    },
  },
  views: { users: sql`select id, account_id, username, active from users` },
} as const satisfies FeatureObjects<'user'>
