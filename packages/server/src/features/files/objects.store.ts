import { sql } from 'kysely'
import type { FeatureObjects } from '../objects/index.ts'
import { sumFiles } from './store.ts'

export const fileObjects = {
  counts: { files: sumFiles },
  views: {
    driverPictures: sql`select id, driver_id from files where role = 'picture'`,
    floorPlans: sql`select id, twin_id from files where role = 'plan'`,
  },
} as const satisfies FeatureObjects
