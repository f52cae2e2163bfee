import * as z from 'zod'
import { Done, Id, Json, listOf, operation, orderBy, Paging, pageOf, Time, Title, Version } from './common.ts'
import { BackgroundJob } from './jobs.ts'
import { may } from './permissions.ts'
import { RuleRecipient } from './ruleMails.ts'
import { MailOutcome, RecipientAddress, ruleMailLimits } from './rules/actions/email.ts'
import { RuleAction, RuleActions } from './rules/actions.ts'
import { RuleConditions } from './rules/conditions.ts'
import { Delivery } from './rules/deliveries.ts'
import { ExecutionTimes, HolidayCalendar } from './rules/executionTimes.ts'
import { ManyTwins } from './rules/many.ts'
import { Metric, metricOf } from './rules/metrics.ts'
import { PastRule, PastRun, PastRunEntry, pastLimits } from './rules/past.ts'
import { geofenceModes } from './rules/triggers/geofence.ts'
import { RuleTrigger, RuleTriggers } from './rules/triggers.ts'

export { MailOutcome, mailOutcomes, ruleMailLimits } from './rules/actions/email.ts'
export { RuleAction, type RuleActionKind, TemplateRuleAction } from './rules/actions.ts'
export { ScriptCondition } from './rules/conditions/script.ts'
export { Condition, type ConditionOp, RuleConditions } from './rules/conditions.ts'
export {
  Delivery,
  type DeliveryOutcome,
  type DeliveryReason,
  deliveryOutcomes,
  deliveryReasons,
} from './rules/deliveries.ts'
export { ExecutionTimes, HolidayCalendar } from './rules/executionTimes.ts'
export { ManyTwins, manyLimits, TwinQuery } from './rules/many.ts'
export {
  type AcrossOperation,
  acrossOperations,
  childrenMax,
  type Relative,
  relatives,
  seriesOperations,
} from './rules/metrics/related.ts'
export {
  Metric,
  type MetricOperation,
  type OwnOperation,
  type RelatedMetric,
  type StateMetric,
  type StateOperation,
} from './rules/metrics.ts'
export { Operand } from './rules/operand.ts'
export { RuleTrigger, RuleTriggers, type TriggerKind } from './rules/triggers.ts'

/** Editable fields of a rule. */
export const RuleFields = {
  title: Title,
  active: z.boolean().default(true),
  /** does not run before */
  pausedUntil: Time.nullable().default(null),
  /** null: it runs on its own twin; otherwise on the twins that this finds */
  many: ManyTwins.nullable().default(null),
  triggers: RuleTriggers.default(() => [{ kind: 'values' as const }]),
  metrics: z.array(Metric).min(1).max(50),
  conditions: RuleConditions,
  /** null: it runs at any time */
  executionTimes: ExecutionTimes.nullable().default(null),
  /** suppresses messages for this long after the rule fired; 0 never suppresses */
  throttleHours: z.number().min(0).max(8784).default(0),
  actions: RuleActions,
}

/** A metric with the names of its state. */
const NamedMetric = metricOf({
  stateId: Id,
  stateTitle: z.string(),
  stateKey: z.string(),
  unit: z.string(),
  twinTitle: z.string(),
})

/** `outside_times`: its execution times do not allow the rule to run now. */
export const ruleResults = ['fired', 'not_met', 'throttled', 'outside_times', 'aborted', 'error'] as const

/** What a rule belongs to. */
const home = {
  /** null: it is of a template, and runs on the devices that conform to it */
  dtwinId: Id.nullable(),
  twinTitle: z.string(),
  twinCategory: z.enum(['digitalTwin', 'virtualDevice']),
  template: z.object({ id: Id, title: z.string() }).nullable(),
}

export const Rule = z.object({
  id: Id,
  ...home,
  accountId: Id,
  title: z.string(),
  active: z.boolean(),
  pausedUntil: Time.nullable(),
  many: ManyTwins.nullable(),
  /** of a rule for many: how many twins it runs on, and how many it would beyond the largest number */
  twins: z.object({ total: z.int(), beyond: z.int() }).nullable(),
  triggers: z.array(RuleTrigger),
  metrics: z.array(NamedMetric),
  conditions: RuleConditions,
  executionTimes: ExecutionTimes.nullable(),
  throttleHours: z.number(),
  actions: z.array(RuleAction),
  /** recipients of its mails and their consent; only when a single rule is read */
  recipients: z.array(RuleRecipient).optional(),
  lastEvaluatedAt: Time.nullable(),
  lastFiredAt: Time.nullable(),
  lastResult: z.enum(ruleResults).nullable(),
  /** it is of a template and cannot be changed here (DEVICE_TEMPLATE_FIXED) */
  fixed: z.boolean(),
  version: z.int(),
})
export type Rule = z.infer<typeof Rule>

/** A node of the condition tree with its result, for "why did it (not) fire?". */
export interface Branch {
  op: string
  met: boolean
  /** for comparisons: the values that were compared */
  left?: unknown
  right?: unknown
  /** ISO 8601. For `hysteresis`: since when it has been met; for `for`: since when its condition has been */
  since?: string
  /** for `hysteresis`: which way, and whether it was met before */
  direction?: 'above' | 'below'
  held?: boolean
  /** for `for`: how long it must last */
  minutes?: number
  /** for `times`: how often it was met, in how many of the `of` evaluations it looks back at; how often it must be */
  count?: number
  seen?: number
  needed?: number
  of?: number
  children?: Branch[]
}

/** What woke a rule. */
export const ExecutionCause = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('values') }),
  z.object({ kind: z.literal('silence'), metric: z.string() }),
  z.object({ kind: z.literal('time') }),
  /** a condition that waited for time to pass */
  z.object({ kind: z.literal('conditions') }),
  z.object({ kind: z.literal('alarm'), twinId: Id, message: z.string(), resolved: z.boolean() }),
  z.object({ kind: z.literal('health'), twinId: Id, health: z.number() }),
  /** a twin has moved, or stayed */
  z.object({
    kind: z.literal('geofence'),
    mode: z.enum(geofenceModes),
    twinId: Id,
    /** a zone or another twin; null: a circle, or several zones */
    targetId: Id.nullable(),
  }),
  /** another rule, by its trigger or its action */
  z.object({ kind: z.literal('rule'), ruleId: Id }),
  /** by this user or key */
  z.object({ kind: z.literal('manual'), name: z.string() }),
])
export type ExecutionCause = z.infer<typeof ExecutionCause>

/** What became of an action. */
export const ActionOutcome = z.object({
  kind: z.string(),
  /** it has happened; a mail or message that has not left is not ok */
  ok: z.boolean(),
  detail: z.string(),
  /** for mails: what became of them until now */
  mails: z.array(MailOutcome).optional(),
  /** for messages to other systems, devices and browsers: what became of them until now */
  deliveries: z.array(Delivery).optional(),
})
export type ActionOutcome = z.infer<typeof ActionOutcome>

export const Execution = z.object({
  id: Id,
  ruleId: Id,
  ruleTitle: z.string(),
  dtwinId: Id,
  twinTitle: z.string(),
  at: Time,
  cause: ExecutionCause,
  result: z.enum(ruleResults),
  /** values by alias */
  inputs: z.record(z.string(), Json),
  branch: Json,
  actions: z.array(ActionOutcome),
  /** mails that reminded of the alarm it raised, the newest `remindersShown` of all, oldest first; absent: there are none */
  reminders: z
    .object({ total: z.int(), items: z.array(z.object({ at: Time, mails: z.array(MailOutcome) })) })
    .optional(),
  error: z.string().nullable(),
  durationUs: z.int(),
})
export type Execution = z.infer<typeof Execution>

/** Reminders of its alarm that an execution shows. */
export const remindersShown = 20

/** The editable fields of a stored rule. */
export const RuleDefinition = z.object({
  ...RuleFields,
  // As they were accepted then: rules about all actions may have changed since.
  triggers: z.array(RuleTrigger),
  metrics: z.array(Metric),
  actions: z.array(RuleAction),
})

/** A rule after a change. */
export const RuleVersion = z.object({
  version: z.int(),
  at: Time,
  /** who changed it; null: not known */
  by: z.string().nullable(),
  /** names of the fields that differ from the version before */
  changed: z.array(z.string()),
  /** null: it cannot be read any more */
  rule: RuleDefinition.nullable(),
})
export type RuleVersion = z.infer<typeof RuleVersion>

/** What a rule did and cost in some days. */
export const RuleFigures = z.object({
  ruleId: Id,
  ruleTitle: z.string(),
  active: z.boolean(),
  ...home,
  accountId: Id,
  evaluations: z.int(),
  fired: z.int(),
  /** evaluations that ended with an error */
  errors: z.int(),
  /** processor and waiting time of all evaluations, in milliseconds */
  durationMs: z.number(),
  /** the same of one evaluation; null: there was none */
  meanMs: z.number().nullable(),
  lastFiredAt: Time.nullable(),
})
export type RuleFigures = z.infer<typeof RuleFigures>

/** Days for which figures of rules are kept. */
export const figureDaysMax = 92

/** Accounts listed with figures of rules. */
export const figureAccountsMax = 20

/** What the rules of an account did and cost. */
export const AccountFigures = z.object({
  accountId: Id,
  accountName: z.string(),
  rules: z.int(),
  evaluations: z.int(),
  fired: z.int(),
  errors: z.int(),
  durationMs: z.number(),
})
export type AccountFigures = z.infer<typeof AccountFigures>

const read = may('DigitalTwin', 'read')
const write = may('DigitalTwin', 'write')

const executionFilters = {
  accountIds: listOf(Id).optional(),
  /** text in the title of the rule or its twin */
  search: z.string().max(200).optional(),
  dtwinId: Id.optional(),
  from: Time.optional(),
  to: Time.optional(),
}

/** A rule for many on one of its twins. */
export const RuleTwin = z.object({
  dtwinId: Id,
  twinTitle: z.string(),
  twinCategory: z.enum(['digitalTwin', 'virtualDevice']),
  /** it does not run there */
  except: z.boolean(),
  lastEvaluatedAt: Time.nullable(),
  lastFiredAt: Time.nullable(),
  lastResult: z.enum(ruleResults).nullable(),
})
export type RuleTwin = z.infer<typeof RuleTwin>

export const ddr = {
  /** Rules of one twin or device, and the rules for many that run on it or leave it out. */
  list: operation
    .meta({ rule: read, reads: 'replica' })
    .route({ method: 'GET', path: '/digitaltwin/ddr/list', tags: ['rules'], summary: 'Rules of a twin' })
    .input(z.object({ dtwinId: Id, ...Paging }))
    .output(pageOf(Rule)),
  /** All rules the caller may see. */
  overviewList: operation
    .meta({ rule: read, reads: 'replica' })
    .route({ method: 'GET', path: '/digitaltwin/ddr/overview-list', tags: ['rules'], summary: 'All rules' })
    .input(
      z.object({
        ...Paging,
        search: z.string().max(200).optional(),
        accountIds: listOf(Id).optional(),
        active: z.boolean().optional(),
        orderBy: orderBy(['title', 'lastEvaluatedAt', 'lastFiredAt']).default('title'),
      }),
    )
    .output(pageOf(Rule)),
  executions: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/digitaltwin/ddr/executions', tags: ['rules'], summary: 'Executions' })
    .input(
      z.object({
        ...Paging,
        ...executionFilters,
        results: listOf(z.enum(ruleResults)).optional(),
      }),
    )
    .output(pageOf(Execution)),
  /** Spelled as in the specification. */
  errornousExecutions: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/digitaltwin/ddr/errornous-executions',
      tags: ['rules'],
      summary: 'Failed executions',
    })
    .input(z.object({ ...Paging, ...executionFilters }))
    .output(pageOf(Execution)),
  executionHistory: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/digitaltwin/ddr/{id}/execution-history',
      tags: ['rules'],
      summary: 'Executions of a rule',
    })
    .input(
      z.object({
        id: Id,
        ...Paging,
        /** only those on this twin */
        dtwinId: Id.optional(),
        results: listOf(z.enum(ruleResults)).optional(),
      }),
    )
    .output(pageOf(Execution)),
  /** The twins of a rule for many, and those it leaves out, by title; only twins that the caller may see. */
  twins: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/digitaltwin/ddr/{id}/twins',
      tags: ['rules'],
      summary: 'Twins of a rule for many',
    })
    .input(
      z.object({
        id: Id,
        ...Paging,
        search: z.string().max(200).optional(),
        results: listOf(z.enum(ruleResults)).optional(),
        /** only those that it leaves out, or only the others */
        except: z.boolean().optional(),
      }),
    )
    .output(pageOf(RuleTwin)),
  /** The twins that a draft for many would run on, as far as the caller may see. */
  previewTwins: operation
    .meta({ rule: read, look: 'asks' })
    .route({
      method: 'POST',
      path: '/digitaltwin/ddr/preview-twins',
      tags: ['rules'],
      summary: 'Preview the twins of a rule for many',
    })
    .input(
      z.object({
        /** the twin that the rule belongs to */
        dtwinId: Id,
        many: ManyTwins,
        metrics: z.array(Metric).max(50).default([]),
        ...Paging,
      }),
    )
    .output(pageOf(RuleTwin.pick({ dtwinId: true, twinTitle: true, twinCategory: true }))),
  /** Leaves a twin out of a rule for many, or takes it in again. */
  exceptTwin: operation
    .meta({ rule: write })
    .route({
      method: 'PUT',
      path: '/digitaltwin/ddr/{id}/twins/{dtwinId}',
      tags: ['rules'],
      summary: 'Leave a twin out of a rule for many',
    })
    .input(z.object({ id: Id, dtwinId: Id, except: z.boolean() }))
    .output(Rule),
  /** What rules did and cost in the last days, the most expensive first unless ordered otherwise. */
  figures: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/digitaltwin/ddr/figures', tags: ['rules'], summary: 'Figures of rules' })
    .input(
      z.object({
        ...Paging,
        days: z.int().min(1).max(figureDaysMax).default(7),
        search: z.string().max(200).optional(),
        accountIds: listOf(Id).optional(),
        /** only active rules that have never fired */
        neverFired: z.boolean().optional(),
        orderBy: orderBy(['title', 'evaluations', 'fired', 'errors', 'durationMs', 'meanMs']).default(
          '-durationMs',
        ),
      }),
    )
    .output(
      pageOf(RuleFigures).extend({
        /** of all rules found, not only of this page */
        sums: z.object({
          evaluations: z.int(),
          fired: z.int(),
          errors: z.int(),
          durationMs: z.number(),
        }),
        /** of the accounts whose rules took the most time, of all rules found */
        accounts: z.array(AccountFigures).max(figureAccountsMax),
      }),
    ),
  /** The last versions of a rule, newest first. */
  versions: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/digitaltwin/ddr/{id}/versions',
      tags: ['rules'],
      summary: 'Versions of a rule',
    })
    .input(z.object({ id: Id, ...Paging }))
    .output(pageOf(RuleVersion)),
  get: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/digitaltwin/ddr/{id}', tags: ['rules'], summary: 'Read a rule' })
    .input(z.object({ id: Id }))
    .output(Rule),
  create: operation
    .meta({ rule: write })
    .route({
      method: 'POST',
      path: '/digitaltwin/ddr',
      tags: ['rules'],
      summary: 'Create a rule',
      successStatus: 201,
    })
    .input(z.object({ dtwinId: Id, ...RuleFields }))
    .output(Rule),
  update: operation
    .meta({ rule: write })
    .route({ method: 'PUT', path: '/digitaltwin/ddr/{id}', tags: ['rules'], summary: 'Change a rule' })
    .input(z.object({ id: Id, version: Version, ...RuleFields }))
    .output(Rule),
  delete: operation
    .meta({ rule: write })
    .route({ method: 'DELETE', path: '/digitaltwin/ddr/{id}', tags: ['rules'], summary: 'Delete a rule' })
    .input(z.object({ id: Id }))
    .output(Done),
  /** Evaluates a rule now, as its triggers do; it needs the trigger `manual`. */
  run: operation
    .meta({ rule: write })
    .route({ method: 'POST', path: '/digitaltwin/ddr/{id}/run', tags: ['rules'], summary: 'Run a rule now' })
    .input(
      z.object({
        id: Id,
        /** only on this twin; needed for rules of templates */
        dtwinId: Id.optional(),
      }),
    )
    .output(Done),
  /**
   * Asks a recipient of a rule again whether mails may be sent; only a few times, and never after a refusal.
   */
  askRecipient: operation
    .meta({ rule: write })
    .route({
      method: 'POST',
      path: '/digitaltwin/ddr/{id}/ask-recipient',
      tags: ['rules'],
      summary: 'Ask a recipient again',
    })
    .input(z.object({ id: Id, address: RecipientAddress.max(ruleMailLimits.addressLengthMax) }))
    .output(Rule),
  /** Whether mails of rules in an account are sent: whether it has a mail server or inherits one. */
  mailDelivery: operation
    .meta({ rule: write })
    .route({
      method: 'GET',
      path: '/digitaltwin/ddr/mail-delivery',
      tags: ['rules'],
      summary: 'Whether mails of rules are sent',
    })
    .input(z.object({ accountId: Id }))
    .output(z.object({ hasServer: z.boolean() })),
  /**
   * Carries out one action of a draft with given values, marked as a test: mails, messages and downlinks are
   * really sent. Only a few times in a minute. Actions without a message: DDR_ACTION_NOT_TESTABLE.
   */
  testExecuteAction: operation
    .meta({ rule: write, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/digitaltwin/ddr/test-execute-action',
      tags: ['rules'],
      summary: 'Test an action',
    })
    .input(
      z.object({
        dtwinId: Id,
        /** of the rule, for the texts */
        title: Title,
        metrics: z.array(Metric).min(1).max(50),
        action: RuleAction,
        /** values by alias; missing ones are empty */
        inputs: z.record(z.string(), Json).default({}),
      }),
    )
    .output(ActionOutcome),
  /**
   * Converts conditions between a tree and a script, whichever they are not. A tree that looks back at earlier evaluations
   * has no script, and only scripts of the form that a tree becomes have a tree: DDR_CONDITIONS_NOT_CONVERTIBLE.
   */
  convertConditions: operation
    .meta({ rule: read, look: 'asks' })
    .route({
      method: 'POST',
      path: '/digitaltwin/ddr/convert-conditions',
      tags: ['rules'],
      summary: 'Convert conditions',
    })
    .input(z.object({ conditions: RuleConditions }))
    .output(z.object({ conditions: RuleConditions })),
  /** The calendars of public holidays that execution times can refer to. */
  holidayCalendars: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/digitaltwin/ddr/holiday-calendars',
      tags: ['rules'],
      summary: 'Calendars of public holidays',
    })
    .input(z.object({ ...Paging }))
    .output(pageOf(HolidayCalendar)),
  /** Evaluates a draft with current values (or with `inputs`) without running actions. */
  testConditions: operation
    .meta({ rule: read, clientTimeoutMs: 60_000, look: 'asks' })
    .route({
      method: 'POST',
      path: '/digitaltwin/ddr/test-conditions',
      tags: ['rules'],
      summary: 'Try conditions',
    })
    .input(
      z.object({
        metrics: z.array(Metric).min(1).max(50),
        conditions: RuleConditions,
        /** the twin whose properties and position are read; absent: there are none */
        dtwinId: Id.optional(),
        inputs: z.record(z.string(), Json).optional(),
      }),
    )
    .output(
      z.object({
        met: z.boolean(),
        aborted: z.boolean(),
        inputs: z.record(z.string(), Json),
        branch: Json,
        /** a condition that must last waits until then */
        dueAt: Time.nullable(),
      }),
    ),
  /**
   * Evaluates a draft over the last days of real history, by a background job: when it would have fired, and beside it when
   * the stored rule would have, and really has. Nothing is sent and no state is set. One at once for each user:
   * DDR_PAST_RUNNING.
   */
  runOnPast: operation
    .meta({ rule: read, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/digitaltwin/ddr/run-on-past',
      tags: ['rules'],
      summary: 'Run a rule on the past',
      successStatus: 202,
    })
    .input(
      z.object({
        dtwinId: Id,
        /** the stored rule that would be changed */
        ruleId: Id.optional(),
        days: z.int().min(1).max(pastLimits.daysMax),
        rule: PastRule,
      }),
    )
    .output(BackgroundJob),
  /** A run on the past, with its result when its job is done. */
  pastRun: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/digitaltwin/ddr/run-on-past/{jobId}',
      tags: ['rules'],
      summary: 'Read a run on the past',
    })
    .input(z.object({ jobId: Id }))
    .output(PastRun),
  /** Runs on the past of one rule, or of new rules of a twin, newest first. */
  pastRuns: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/digitaltwin/ddr/run-on-past',
      tags: ['rules'],
      summary: 'Runs on the past',
    })
    .input(z.object({ dtwinId: Id, ruleId: Id.optional(), ...Paging }))
    .output(pageOf(PastRunEntry)),
}
