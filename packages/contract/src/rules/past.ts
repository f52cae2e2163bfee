import * as z from 'zod'
import { Id, Json, Time, Title } from '../common.ts'
import { RuleConditions } from './conditions.ts'
import { ExecutionTimes } from './executionTimes.ts'
import { Metric } from './metrics.ts'
import { RuleTriggers } from './triggers.ts'

export const pastLimits = {
  daysMax: 92,
  /** moments at which a line fired that are kept, the newest ones; all are counted */
  momentsMax: 500,
  /** metrics with a chart, and points of each */
  chartsMax: 6,
  pointsMax: 2_000,
  /** stretches of a time line */
  stretches: 240,
} as const

/** The part of a rule that decides when it fires. */
export const PastRule = z.object({
  title: Title,
  triggers: RuleTriggers.default(() => [{ kind: 'values' as const }]),
  metrics: z.array(Metric).min(1).max(50),
  conditions: RuleConditions,
  executionTimes: ExecutionTimes.nullable().default(null),
  throttleHours: z.number().min(0).max(8784).default(0),
})
export type PastRule = z.infer<typeof PastRule>

const Count = z.int().min(0)

/** How often it fired, and so on, in each stretch of the period. */
const Stretches = z.array(Count).max(pastLimits.stretches)

/** What woke it. */
const PastCause = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('values') }),
  z.object({ kind: z.literal('silence'), metric: z.string() }),
  z.object({ kind: z.literal('time') }),
  z.object({ kind: z.literal('conditions') }),
])
export type PastCause = z.infer<typeof PastCause>

/** A moment at which a rule would have fired. */
const PastMoment = z.object({
  at: Time,
  cause: PastCause,
  /** values by alias; null: left out, because the result would be too large */
  inputs: z.record(z.string(), Json).nullable(),
  /** the explanation, see `Branch` */
  branch: Json,
})
export type PastMoment = z.infer<typeof PastMoment>

/** What a rule would have done in the period. */
const PastLine = z.object({
  /** evaluations by result */
  results: z.object({
    fired: Count,
    throttled: Count,
    not_met: Count,
    outside_times: Count,
    aborted: Count,
    error: Count,
  }),
  fired: Stretches,
  throttled: Stretches,
  moments: z.array(PastMoment).max(pastLimits.momentsMax),
  /** of the first evaluation that failed */
  error: z.string().nullable(),
})
export type PastLine = z.infer<typeof PastLine>

/** What the stored rule has really done, as far as its executions are kept. */
const RealLine = z.object({
  fired: Count,
  throttled: Count,
  firedStretches: Stretches,
})
export type RealLine = z.infer<typeof RealLine>

export const PastResult = z.object({
  from: Time,
  to: Time,
  /**
   * It ended before: `values`, because the windows of the metrics hold too many values; `time`, because it took too
   * long.
   */
  stopped: z.object({ reason: z.enum(['values', 'time']), at: Time }).nullable(),
  draft: PastLine,
  /** the rule as it is stored; null: there is none, or the caller may not see all of its states */
  stored: PastLine.nullable(),
  real: RealLine.nullable(),
  /** values of the metrics of the draft, when it was evaluated: `[milliseconds since 1970, number]` */
  charts: z
    .array(
      z.object({
        alias: z.string(),
        points: z.array(z.tuple([z.number(), z.number()])).max(pastLimits.pointsMax),
      }),
    )
    .max(pastLimits.chartsMax),
})
export type PastResult = z.infer<typeof PastResult>

/** A rule that is or was run on the past, by a background job. */
export const PastRun = z.object({
  jobId: Id,
  dtwinId: Id,
  /** the stored rule of which it is a change; null: a new one */
  ruleId: Id.nullable(),
  from: Time,
  to: Time,
  rule: PastRule,
  /** triggers that wake it, and metrics, that have no history: the former wake nothing, the latter have their value now */
  notReplayed: z.object({
    triggers: z.array(z.string()),
    metrics: z.array(z.string()),
    /** metrics of the parent or of children: those the twin has now, whichever it had then */
    tree: z.array(z.string()),
  }),
  /** null: it is not done */
  result: PastResult.nullable(),
})
export type PastRun = z.infer<typeof PastRun>

/** The same in a list. */
export const PastRunEntry = z.object({
  jobId: Id,
  ruleId: Id.nullable(),
  title: z.string(),
  from: Time,
  to: Time,
  user: z.string(),
  createdAt: Time,
  state: z.enum(['created', 'inprogress', 'done', 'canceled', 'failed']),
})
export type PastRunEntry = z.infer<typeof PastRunEntry>
