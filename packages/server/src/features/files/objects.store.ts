import type { FeatureObjects } from '../objects/index.ts'
import { sumFiles } from './store.ts'

export const fileObjects = { counts: { files: sumFiles } } as const satisfies FeatureObjects
