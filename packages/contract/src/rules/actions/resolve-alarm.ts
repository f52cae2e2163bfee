import * as z from 'zod'
import { Id } from '../../common.ts'

/** Resolves the open alarm of another rule; null: an alarm that this rule left open. */
export const ResolveAlarmAction = z.object({ kind: z.literal('resolve-alarm'), ruleId: Id.nullable() })
export type ResolveAlarmAction = z.infer<typeof ResolveAlarmAction>
