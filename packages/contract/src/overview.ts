import * as z from 'zod'
import { Id, ListFile, ListFileInput, limits, operation, orderBy, Paging, pageOf, Time } from './common.ts'
import type { AccessRule } from './permissions.ts'
import { Value } from './series.ts'
import { stateSources, ValueType, Visualization } from './states.ts'

/** Bounds of the overview. */
export const overviewLimits = {
  /** matching states are counted up to this number, and pages end there */
  countMax: 10_000,
  /** nested groups of a filter */
  depthMax: 4,
  /** conditions of a filter in all groups */
  conditionsMax: 50,
  /** conditions and groups; a group may hold a single condition */
  itemsMax: 200,
  /** values of one condition */
  valuesMax: 100,
  /** texts to look for in all conditions: each is compared with every state */
  textsMax: 50,
  fileRowsMax: 100_000,
} as const

/** What a filter can compare, and what kind of value each has. */
export const stateAttributes = {
  accountId: 'id',
  /** the connector a state receives from */
  configId: 'optionalId',
  stateId: 'id',
  dtwinId: 'id',
  dtwinTitle: 'text',
  unit: 'optionalText',
  /** title or key */
  stateIdentifier: 'text',
  /** type of the values */
  stateType: 'choice',
  sourceType: 'choice',
  /** the variable of packets */
  parserVariable: 'optionalText',
  /** the device a state receives from, by its identifier at the connector */
  sourceIdentifier: 'optionalText',
  /** of the current value */
  timestamp: 'time',
  twin_category: 'choice',
  geolocation: 'presence',
  vdevice_groups: 'list',
  twin_tags: 'list',
  /** `key`, or `key=value` */
  twin_key_value: 'pair',
  device_driver_id: 'optionalId',
} as const
export type StateAttribute = keyof typeof stateAttributes
export type AttributeKind = (typeof stateAttributes)[StateAttribute]

/** Operators of each kind, the most useful one first. */
export const operatorsOf = {
  id: ['equals', 'notEquals'],
  optionalId: ['equals', 'notEquals', 'isNull', 'isNotNull'],
  text: ['contains', 'notContains', 'equals', 'notEquals'],
  optionalText: ['contains', 'notContains', 'equals', 'notEquals', 'isNull', 'isNotNull'],
  choice: ['equals', 'notEquals'],
  time: ['valueOlderThan', 'greaterThan', 'lessThan', 'isNull', 'isNotNull'],
  presence: ['isNotNull', 'isNull'],
  list: ['contains', 'notContains', 'isNull', 'isNotNull'],
  pair: ['contains', 'notContains', 'isNull', 'isNotNull'],
} as const satisfies Record<AttributeKind, readonly StateOperator[]>

export const stateOperators = [
  'equals',
  'notEquals',
  'greaterThan',
  'lessThan',
  'contains',
  'notContains',
  'isNull',
  'isNotNull',
  'valueOlderThan',
] as const
export type StateOperator = (typeof stateOperators)[number]

/** The values of attributes with a fixed set. */
export const attributeChoices = {
  stateType: ValueType.options,
  sourceType: stateSources,
  twin_category: ['digitalTwin', 'virtualDevice'],
} as const satisfies Partial<Record<StateAttribute, readonly string[]>>

export interface StateCondition {
  attribute: StateAttribute
  operator: StateOperator
  /** one, or several of which one has to match; minutes for `valueOlderThan`; none for `isNull` and `isNotNull` */
  value?: string | number | (string | number)[] | undefined
}
export type StateFilter = StateCondition | { and: StateFilter[] } | { or: StateFilter[] }

/** Years are enough to find what has been silent. */
const minutesMax = 5_256_000
const Texts = z.string().trim().min(1).max(200)
const oneOrMore = (item: z.ZodType) => z.union([item, z.array(item).min(1).max(overviewLimits.valuesMax)])
const valuesOf: Record<Exclude<AttributeKind, 'choice' | 'presence' | 'time'>, z.ZodType> = {
  id: oneOrMore(Id),
  optionalId: oneOrMore(Id),
  text: oneOrMore(Texts),
  optionalText: oneOrMore(Texts),
  list: oneOrMore(Texts),
  pair: oneOrMore(Texts),
}

function valueSchema({ attribute, operator }: StateCondition): z.ZodType {
  if (operator === 'isNull' || operator === 'isNotNull') return z.undefined()
  if (operator === 'valueOlderThan') return z.int().min(1).max(minutesMax)
  const kind = stateAttributes[attribute]
  if (kind === 'time') return Time
  if (kind === 'presence') return z.undefined()
  if (kind === 'choice')
    return oneOrMore(
      z.enum(attributeChoices[attribute as keyof typeof attributeChoices] as readonly string[]),
    )
  return valuesOf[kind]
}

/** Whether operator and value suit the attribute. */
function isFitting(condition: StateCondition): boolean {
  const operators: readonly StateOperator[] = operatorsOf[stateAttributes[condition.attribute]]
  return operators.includes(condition.operator) && valueSchema(condition).safeParse(condition.value).success
}

const Scalar = z.union([z.string().max(200), z.number()])
const Condition = z
  .strictObject({
    attribute: z.enum(Object.keys(stateAttributes) as [StateAttribute, ...StateAttribute[]]),
    operator: z.enum(stateOperators),
    value: z.union([Scalar, z.array(Scalar).max(overviewLimits.valuesMax)]).optional(),
  })
  .refine(isFitting, 'operator or value does not suit the attribute')

/** Not recursive: a schema of fixed depth cannot exhaust the stack. */
function groupsOf(inner: z.ZodType<StateFilter>): z.ZodType<StateFilter> {
  const items = z.array(inner).min(1).max(overviewLimits.conditionsMax)
  return z.union([Condition, z.strictObject({ and: items }), z.strictObject({ or: items })])
}

/** The conditions of a filter in all of its groups. */
export function conditionsIn(filter: StateFilter): StateCondition[] {
  if ('and' in filter) return filter.and.flatMap(conditionsIn)
  if ('or' in filter) return filter.or.flatMap(conditionsIn)
  return [filter]
}

const searched: readonly AttributeKind[] = ['text', 'optionalText', 'pair']

function textsIn(filter: StateFilter): number {
  return conditionsIn(filter)
    .filter(({ attribute }) => searched.includes(stateAttributes[attribute]))
    .reduce((sum, { value }) => sum + (Array.isArray(value) ? value.length : 1), 0)
}

const groupNames = ['and', 'or'] as const

/**
 * Whether something has more items than a filter may have. Checked first, because each item of a group is tried as a
 * condition and as both kinds of group.
 */
function isTooLarge(given: unknown): boolean {
  const waiting: unknown[] = [given]
  let items = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue
    for (const name of groupNames) {
      const inner: unknown = (next as Record<string, unknown>)[name]
      if (!Array.isArray(inner)) continue
      items += inner.length
      if (items > overviewLimits.itemsMax) return true
      waiting.push(...inner)
    }
  }
  return false
}

const groups = Array.from({ length: overviewLimits.depthMax }).reduce<z.ZodType<StateFilter>>(
  groupsOf,
  Condition,
)

/** A condition, or groups of conditions joined by and or or. */
export const StateFilter: z.ZodType<StateFilter> = z.preprocess(
  (given, context) => {
    if (isTooLarge(given)) context.addIssue(`at most ${overviewLimits.conditionsMax} conditions`)
    return given
  },
  groups
    .refine(
      (filter) => conditionsIn(filter).length <= overviewLimits.conditionsMax,
      `at most ${overviewLimits.conditionsMax} conditions`,
    )
    .refine(
      (filter) => textsIn(filter) <= overviewLimits.textsMax,
      `at most ${overviewLimits.textsMax} texts`,
    ),
)

/** A state in the overview, with its twin or device. */
export const OverviewState = z.object({
  id: Id,
  key: z.string(),
  title: z.string(),
  unit: z.string(),
  icon: z.string().nullable(),
  source: z.enum(stateSources),
  valueType: ValueType,
  decimals: z.int().nullable(),
  lowerBound: z.number().nullable(),
  upperBound: z.number().nullable(),
  visualization: Visualization,
  /** null until a value has arrived */
  value: Value.nullable(),
  time: Time.nullable(),
  twinId: Id,
  twinTitle: z.string(),
  category: z.enum(['digitalTwin', 'virtualDevice']),
  accountId: Id,
  accountName: z.string(),
  tags: z.array(z.string()),
  keyValues: z.record(z.string(), z.string()),
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  /** the connector */
  configId: Id.nullable(),
  sourceIdentifier: z.string().nullable(),
  parserVariable: z.string().nullable(),
  /** of a device */
  groups: z.array(z.string()),
  driverId: Id.nullable(),
  driverTitle: z.string().nullable(),
})
export type OverviewState = z.infer<typeof OverviewState>

/** Values are sorted as numbers. States without what they are sorted by come last. */
const order = orderBy(['twin', 'title', 'value', 'time', 'id'])
const asked = {
  /** words of the title or key of a state, or of the title of its twin */
  search: z.string().max(limits.titleLengthMax).optional(),
  filter: StateFilter.optional(),
  orderBy: order.default('twin'),
}

/** Columns of files. */
export const overviewFileColumns = [
  'id',
  'title',
  'key',
  'value',
  'unit',
  'time',
  'twin',
  'category',
  'account',
  'type',
  'source',
  'sourceIdentifier',
  'variable',
  'driver',
  'groups',
  'tags',
  'latitude',
  'longitude',
] as const
export const OverviewFileColumn = z.enum(overviewFileColumns)
export type OverviewFileColumn = z.infer<typeof OverviewFileColumn>

/** Who may see the overview. */
export const readOverview: AccessRule = {
  any: [
    {
      all: [
        { subject: 'DigitalTwinStates', action: 'read' },
        { subject: 'DigitalTwin', action: 'list' },
      ],
    },
    { subject: 'DigitalTwin', action: 'read' },
  ],
}
const tags = ['states']

/** All states the caller may see; those of devices need VirtualDevice read. */
export const stateOverview = {
  /**
   * A page of states with their current values. At most 10 000 are counted and can be paged through; `more` tells
   * that there are others, which a narrower filter finds.
   */
  fetch: operation
    .meta({ rule: readOverview, clientTimeoutMs: 25_000, reads: 'replica', look: 'asks' })
    .route({ method: 'POST', path: '/digitaltwin/states/overview', tags, summary: 'All states' })
    .input(
      z.object({
        ...asked,
        ...Paging,
        offset: z.int().min(0).max(overviewLimits.countMax).default(0),
      }),
    )
    .output(pageOf(OverviewState).extend({ more: z.boolean() })),
  /**
   * The list as a file in the same order, streamed. Limited by the account's CSV limit, else to 100 000 states. Texts that a
   * spreadsheet would execute are escaped.
   */
  exportFile: operation
    .meta({ rule: readOverview, clientTimeoutMs: 210_000, reads: 'replica', look: 'asks' })
    .route({
      method: 'POST',
      path: '/digitaltwin/states/overview/file',
      tags,
      summary: 'All states as a file',
      outputStructure: 'detailed',
    })
    .input(
      z.object({
        ...asked,
        /** default: all columns */
        columns: z.array(OverviewFileColumn).min(1).max(overviewFileColumns.length).optional(),
        ...ListFileInput,
      }),
    )
    .output(ListFile),
}
