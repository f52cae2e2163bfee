import * as z from 'zod'
import { limits } from '../../common.ts'

/**
 * Own JavaScript: the body of a function that returns whether the conditions are met. It has a variable for
 * each metric under its alias, and all of them in `metrics`; a missing value is null.
 */
export const ScriptCondition = z.object({
  op: z.literal('script'),
  script: z.string().trim().min(1).max(limits.scriptLengthMax),
})
export type ScriptCondition = z.infer<typeof ScriptCondition>
