import * as z from 'zod'

/** A person runs the rule. */
export const ManualTrigger = z.object({ kind: z.literal('manual') })
