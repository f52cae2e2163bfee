import * as z from 'zod'
import { Id } from '../../common.ts'

/** Evaluates another rule of the account, whatever its own triggers are. */
export const StartRuleAction = z.object({ kind: z.literal('start-rule'), ruleId: Id })
export type StartRuleAction = z.infer<typeof StartRuleAction>
