import { sql } from 'kysely'
import type { FeatureObjects } from '../objects/index.ts'

export const signonObjects = {
  views: {
    identities: sql`
      select i.user_id, c.account_id from sso_identities i join sso_clients c on c.id = i.client_id`,
    mappedRoles: sql`
      select m.client_id, c.account_id, c.title, m.role_id, m.scope_id
      from sso_mappings m join sso_clients c on c.id = m.client_id`,
  },
} as const satisfies FeatureObjects
