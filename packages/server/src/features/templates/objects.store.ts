import type { FeatureObjects } from '../objects/index.ts'
import { countTemplates, deleteTemplatesOf } from './store.ts'

export const templateObjects = {
  kinds: {
    deviceTemplate: {
      table: 'device_templates',
      subject: 'DeviceTemplate',
      withAccount: { delete: deleteTemplatesOf },
    },
  },
  counts: { templates: countTemplates },
} as const satisfies FeatureObjects<'deviceTemplate'>
