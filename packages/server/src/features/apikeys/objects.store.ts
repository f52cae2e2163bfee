import { sql } from 'kysely'
import type { FeatureObjects } from '../objects/index.ts'

export const apikeyObjects = {
  views: { apiKeyRoles: sql`select id, account_id, title, role_id, scope_id from api_keys` },
} as const satisfies FeatureObjects
