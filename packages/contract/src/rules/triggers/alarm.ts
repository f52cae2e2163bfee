import * as z from 'zod'

/** An alarm of the rule's twin, or of one below it, is raised or resolved. Its own alarm never wakes a rule. */
export const AlarmTrigger = z.object({
  kind: z.literal('alarm'),
  on: z.enum(['raised', 'resolved', 'both']),
  below: z.boolean().default(false),
})
export type AlarmTrigger = z.infer<typeof AlarmTrigger>
