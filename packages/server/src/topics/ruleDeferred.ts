import { ExecutionCause } from '@leitstand/contract/rules'
import * as z from 'zod'
import { defineTopic } from '../platform/events/topic.ts'

/** An evaluation of a rule on a twin, as `Wake` of the feature rules. */
const DeferredWake = z.object({
  twinId: z.int(),
  /** the event that woke it */
  eventId: z.int(),
  atMs: z.number(),
  untilMs: z.number(),
  /** by state */
  values: z.array(z.tuple([z.int(), z.json()])),
  cause: ExecutionCause.nullable(),
  woken: z
    .object({
      values: z.array(z.tuple([z.int(), z.number()])),
      more: z.int(),
      packet: z.object({ deviceId: z.int(), connectorId: z.int(), receivedMs: z.number() }).optional(),
    })
    .optional(),
  depth: z.int().nonnegative(),
  recheck: z.literal(true).optional(),
  /** the metrics in its turn, before their transformers; absent: they are read when it is evaluated */
  read: z
    .array(
      z.object({
        alias: z.string(),
        value: z.json(),
        error: z.object({ code: z.string(), message: z.string() }).nullable(),
      }),
    )
    .optional(),
})

const RuleDeferred = z.object({
  ruleId: z.int(),
  /** of the rule whose metrics were read */
  version: z.int(),
  /** names this event among those of the rule */
  token: z.string(),
  /** in order; none: this only marks a place in the queue */
  wakes: z.array(DeferredWake),
})

export type RuleDeferred = z.infer<typeof RuleDeferred>

/** Evaluations of a rule that takes long, which wait in a queue of its own. */
export const ruleDeferred = defineTopic({ name: 'rule.deferred', version: 1, schema: RuleDeferred })
