import * as z from 'zod'
import { defineTopic } from '../platform/events/topic.ts'

const HealthChanged = z.object({
  deviceId: z.int(),
  /** identifier; `$decode`, `$expression`: a fault; null: the device became known (3 → 0) or unknown (0 → 3) */
  entry: z.string().nullable(),
  category: z.string().nullable(),
  /** what its configuration says of the entry */
  description: z.string().default(''),
  /** level of the entry: 0 does not count, 1 warning, 2 error, 4 invalid */
  from: z.number(),
  to: z.number(),
  /** health of the device afterwards */
  health: z.number(),
  /** ISO 8601 */
  at: z.string(),
})

export type HealthChanged = z.infer<typeof HealthChanged>

/** An entry of a device's health began or ceased to count; each change is reported exactly once. */
export const healthChanged = defineTopic({ name: 'health.changed', version: 1, schema: HealthChanged })
