import { sql } from 'kysely'
import type { FeatureObjects } from '../objects/index.ts'

export const providerObjects = {
  views: { applications: sql`select id, account_id, title, scopes from applications` },
} as const satisfies FeatureObjects
