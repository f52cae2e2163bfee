import * as z from 'zod'
import {
  Done,
  Id,
  Json,
  limits,
  listOf,
  operation,
  orderBy,
  Paging,
  pageOf,
  Time,
  Title,
  Version,
} from './common.ts'
import { may } from './permissions.ts'
import { RuleRecipient } from './ruleMails.ts'

/** Name of a metric in conditions and texts: letters, digits, underscore, starting with a letter. */
export const Alias = z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,49}$/, 'letters, digits and underscore')

export const metricOperations = [
  'latest',
  'avg',
  'min',
  'max',
  'sum',
  'median',
  'count',
  'first',
  'difference',
] as const

/**
 * A number, text or boolean a rule looks at: a state's latest value, or an operation over its last n values or last x minutes.
 * With `abortIfNull` the rule stops when there is no value.
 */
export const Metric = z.object({
  alias: Alias,
  stateId: Id,
  operation: z.enum(metricOperations).default('latest'),
  lastValues: z.int().min(1).max(10_000).optional(),
  lastMinutes: z.int().min(1).max(527_040).optional(),
  /** function body with `value`; returns the new value */
  transformer: z.string().max(limits.scriptLengthMax).optional(),
  abortIfNull: z.boolean().default(true),
})
export type Metric = z.infer<typeof Metric>

/** One side of a comparison: a metric by its alias, or a constant. */
export const Operand = z.union([
  z.object({ metric: Alias }),
  z.object({ value: z.union([z.number(), z.string().max(1000), z.boolean(), z.null()]) }),
])
export type Operand = z.infer<typeof Operand>

/**
 * A condition tree with the operators of the specification. `when` is met when its `condition` is not met, or when `implies` is.
 */
export type Condition =
  | { op: 'and' | 'or'; conditions: Condition[] }
  | { op: 'not'; condition: Condition }
  | { op: 'when'; condition: Condition; implies: Condition }
  | { op: 'eq' | 'lt' | 'gt' | 'lte' | 'gte'; left: Operand; right: Operand }

// Told apart by `op`: a plain union would parse the first branch of every `when` twice, and so on for each level.
export const Condition: z.ZodType<Condition> = z.lazy(() =>
  z.discriminatedUnion('op', [
    z.object({ op: z.enum(['and', 'or']), conditions: z.array(Condition).min(1).max(50) }),
    z.object({ op: z.literal('not'), condition: Condition }),
    z.object({ op: z.literal('when'), condition: Condition, implies: Condition }),
    z.object({ op: z.enum(['eq', 'lt', 'gt', 'lte', 'gte']), left: Operand, right: Operand }),
  ]),
)

export const EmailAction = z.object({
  kind: z.literal('email'),
  recipients: z.array(z.email()).min(1).max(50),
  subject: z.string().trim().min(1).max(200),
  body: z.string().max(limits.textLengthMax),
})

/** Raises an alarm that is resolved when the conditions are no longer met. */
export const AlarmAction = z.object({
  kind: z.literal('alarm'),
  severity: z.enum(['warning', 'error']),
  message: z.string().trim().min(1).max(500),
})

export const SetStateAction = z.object({
  kind: z.literal('set-state'),
  stateId: Id,
  /** a constant, or the value of a metric */
  value: Operand,
})

/** Texts may hold `{{alias}}`, `{{twin.title}}`, `{{rule.title}}` and `{{time}}`. */
export const RuleAction = z.discriminatedUnion('kind', [EmailAction, SetStateAction, AlarmAction])
export type RuleAction = z.infer<typeof RuleAction>

/** Mails one rule sends at once, and whom all of them together go to. */
export const ruleMailLimits = { mailsMax: 5, recipientsMax: 100, addressLengthMax: 200 } as const

const Actions = z
  .array(RuleAction)
  .min(1)
  .max(20)
  .refine((actions) => mailsOf(actions).length <= ruleMailLimits.mailsMax, 'too many mails')
  .refine(
    (actions) =>
      new Set(mailsOf(actions).flatMap(({ recipients }) => recipients)).size <= ruleMailLimits.recipientsMax,
    'too many recipients',
  )
  .refine(
    (actions) =>
      mailsOf(actions).every(({ recipients }) =>
        recipients.every((address) => address.length <= ruleMailLimits.addressLengthMax),
      ),
    'an address is too long',
  )

function mailsOf(actions: readonly RuleAction[]) {
  return actions.filter((action) => action.kind === 'email')
}

/** What people can edit on a rule. */
export const RuleFields = {
  title: Title,
  active: z.boolean().default(true),
  metrics: z.array(Metric).min(1).max(50),
  conditions: Condition,
  /** after it fired the rule stays silent for this long; 0 fires every time */
  throttleHours: z.number().min(0).max(8784).default(0),
  actions: Actions,
}

export const ruleResults = ['fired', 'not_met', 'throttled', 'aborted', 'error'] as const

export const Rule = z.object({
  id: Id,
  dtwinId: Id,
  twinTitle: z.string(),
  twinCategory: z.enum(['digitalTwin', 'virtualDevice']),
  accountId: Id,
  title: z.string(),
  active: z.boolean(),
  metrics: z.array(
    Metric.extend({ stateTitle: z.string(), stateKey: z.string(), unit: z.string(), twinTitle: z.string() }),
  ),
  conditions: Condition,
  throttleHours: z.number(),
  actions: z.array(RuleAction),
  /** whom its mails go to, and whether they may; where one rule is read */
  recipients: z.array(RuleRecipient).optional(),
  lastEvaluatedAt: Time.nullable(),
  lastFiredAt: Time.nullable(),
  lastResult: z.enum(ruleResults).nullable(),
  /** it comes from the template of its device and cannot be changed there (DEVICE_TEMPLATE_FIXED) */
  fixed: z.boolean(),
  version: z.int(),
})
export type Rule = z.infer<typeof Rule>

/** A node of the condition tree with its answer, for "why did it (not) fire?". */
export interface Branch {
  op: string
  met: boolean
  /** for comparisons: the values that were compared */
  left?: unknown
  right?: unknown
  children?: Branch[]
}

export const Execution = z.object({
  id: Id,
  ruleId: Id,
  ruleTitle: z.string(),
  dtwinId: Id,
  twinTitle: z.string(),
  at: Time,
  result: z.enum(ruleResults),
  /** values by alias */
  inputs: z.record(z.string(), Json),
  branch: Json,
  actions: z.array(z.object({ kind: z.string(), ok: z.boolean(), detail: z.string() })),
  error: z.string().nullable(),
  durationUs: z.int(),
})
export type Execution = z.infer<typeof Execution>

const read = may('DigitalTwin', 'read')
const write = may('DigitalTwin', 'write')

export const ddr = {
  /** Rules of one twin or device. */
  list: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/digitaltwin/ddr/list', tags: ['rules'], summary: 'Rules of a twin' })
    .input(z.object({ dtwinId: Id, ...Paging }))
    .output(pageOf(Rule)),
  /** All rules the caller may see. */
  overviewList: operation
    .meta({ rule: read })
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
        results: listOf(z.enum(ruleResults)).optional(),
        accountIds: listOf(Id).optional(),
      }),
    )
    .output(pageOf(Execution)),
  /** Spelt as in the specification. */
  errornousExecutions: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/digitaltwin/ddr/errornous-executions',
      tags: ['rules'],
      summary: 'Failed executions',
    })
    .input(z.object({ ...Paging, accountIds: listOf(Id).optional() }))
    .output(pageOf(Execution)),
  executionHistory: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/digitaltwin/ddr/{id}/execution-history',
      tags: ['rules'],
      summary: 'Executions of a rule',
    })
    .input(z.object({ id: Id, ...Paging, results: listOf(z.enum(ruleResults)).optional() }))
    .output(pageOf(Execution)),
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
  /** Asks a recipient of a rule again whether mails may come; a few times only, and nobody who has declined. */
  askRecipient: operation
    .meta({ rule: write })
    .route({
      method: 'POST',
      path: '/digitaltwin/ddr/{id}/ask-recipient',
      tags: ['rules'],
      summary: 'Ask a recipient again',
    })
    .input(z.object({ id: Id, address: z.email().max(ruleMailLimits.addressLengthMax) }))
    .output(Rule),
  /** Evaluates a draft on the values of now (or on `inputs`) without acting. */
  testConditions: operation
    .meta({ rule: read, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/digitaltwin/ddr/test-conditions',
      tags: ['rules'],
      summary: 'Try conditions',
    })
    .input(
      z.object({
        metrics: z.array(Metric).min(1).max(50),
        conditions: Condition,
        inputs: z.record(z.string(), Json).optional(),
      }),
    )
    .output(
      z.object({ met: z.boolean(), aborted: z.boolean(), inputs: z.record(z.string(), Json), branch: Json }),
    ),
}
