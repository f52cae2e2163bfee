import * as z from 'zod'
import { Id } from '../../common.ts'

/** Another rule fires, or its conditions begin or cease to be met. */
export const RuleStateTrigger = z.object({
  kind: z.literal('rule'),
  ruleId: Id,
  on: z.enum(['fired', 'met', 'unmet']),
})
export type RuleStateTrigger = z.infer<typeof RuleStateTrigger>
