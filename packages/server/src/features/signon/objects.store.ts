import { sql } from 'kysely'
import type { FeatureObjects } from '../objects/index.ts'

export const signonObjects = {
  views: {
    identities: sql`select user_id from sso_identities`,
    mappedRoles: sql`select role_id, scope_id from sso_mappings`,
  },
} as const satisfies FeatureObjects
