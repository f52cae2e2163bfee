import * as z from 'zod'

/** The health of the rule's device, or of devices below its twin, gets worse or better. */
export const HealthTrigger = z.object({
  kind: z.literal('health'),
  on: z.enum(['worse', 'better', 'both']),
  below: z.boolean().default(false),
})
export type HealthTrigger = z.infer<typeof HealthTrigger>
