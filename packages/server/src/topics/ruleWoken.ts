import { ExecutionCause } from '@leitstand/contract/rules'
import * as z from 'zod'
import { defineTopic } from '../platform/events/topic.ts'

const RuleWoken = z.object({
  ruleId: z.int(),
  /** absent: on all of its twins */
  twinId: z.int().optional(),
  cause: ExecutionCause,
  /** how many rules have woken each other in a row before */
  depth: z.int().nonnegative(),
  /** when it was due, in ms, if its conditions have waited for this time */
  dueMs: z.number().optional(),
})

export type RuleWoken = z.infer<typeof RuleWoken>

/** A rule has to be evaluated for another reason than a value: the clock, a person, or another rule. */
export const ruleWoken = defineTopic({ name: 'rule.woken', version: 1, schema: RuleWoken })
