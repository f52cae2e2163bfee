import * as z from 'zod'
import { Done, Id, Json, limits, operation, Time, Title, Version } from './common.ts'
import { AggregationMethod, Value } from './series.ts'
import { memberLimits, Stale, StateQuery } from './states/query.ts'
import { timeseriesAggregate } from './states/sources/timeseries-aggregate.ts'
import { settingsOf, sourced } from './states/sources.ts'

export { memberLimits, Stale, StateQuery, stateCategories } from './states/query.ts'
export { type SystemFigure, systemFigures } from './states/sources/system.ts'
export {
  timeseriesAggregate,
  WindowOperation,
  windowOperations,
} from './states/sources/timeseries-aggregate.ts'
export {
  type SettingsOf,
  type SourceDefinition,
  type SourceSettings,
  type StateSource,
  settingsOf,
  sourced,
  stateSources,
} from './states/sources.ts'

/** Key of a state: unique in its twin, immutable, letters, digits, underscore and dot, e.g. `temperature` or `meter.volume`. */
export const StateKey = z.string().regex(/^[A-Za-z0-9_.]{1,100}$/, 'letters, digits, underscore and dot')

export const ValueType = z.enum(['number', 'text', 'boolean', 'json'])
export type ValueType = z.infer<typeof ValueType>

/**
 * How a value is displayed: plain value, dial gauge with thresholds, or a bar; thresholds also colour the
 * map.
 */
export const Visualization = z.object({
  kind: z.enum(['value', 'gauge', 'switch', 'text']).default('value'),
  min: z.number().optional(),
  max: z.number().optional(),
  lowerThreshold: z.number().optional(),
  upperThreshold: z.number().optional(),
})
export type Visualization = z.infer<typeof Visualization>

/**
 * Where a number is within the limits of its state, from best to worst: `ok` below the thresholds, `warning` at or above
 * the lower one, `invalid` outside of the bounds, `error` at or above the upper threshold.
 */
export const levels = ['ok', 'warning', 'invalid', 'error'] as const
export type Level = (typeof levels)[number]

export const positionAxes = ['latitude', 'longitude'] as const
export type PositionAxis = (typeof positionAxes)[number]

/** Editable fields of a state, besides its key and its source. */
export const StateFields = {
  title: Title,
  unit: z.string().max(30).default(''),
  icon: z.string().max(50).nullable().default(null),
  valueType: ValueType.default('number'),
  /** function body with `value` and `meta`, for aggregates also `values`; returns the new value, undefined drops the update */
  transformer: z.string().max(limits.scriptLengthMax).nullable().default(null),
  lowerBound: z.number().nullable().default(null),
  upperBound: z.number().nullable().default(null),
  /** decimal places shown, at most 10 */
  decimals: z.int().min(0).max(10).nullable().default(null),
  visualization: Visualization.default({ kind: 'value' }),
  /**
   * its numbers are this part of the position of its twin. Without a state that is linked, those whose key begins with
   * `lat` or `lon` are
   */
  positionAxis: z.enum(positionAxes).nullable().default(null),
}

const StoredState = {
  id: Id,
  twinId: Id,
  key: z.string(),
  title: z.string(),
  unit: z.string(),
  icon: z.string().nullable(),
  valueType: ValueType,
  transformer: z.string().nullable(),
  lowerBound: z.number().nullable(),
  upperBound: z.number().nullable(),
  decimals: z.int().nullable(),
  visualization: Visualization,
  positionAxis: z.enum(positionAxes).nullable(),
  position: z.int(),
  /** null until a value has arrived */
  value: Value.nullable(),
  time: Time.nullable(),
  /** it comes from the template of its device and cannot be changed here (DEVICE_TEMPLATE_FIXED) */
  fixed: z.boolean(),
  version: z.int(),
}
export const State = sourced(StoredState, settingsOf)
export type State = z.infer<typeof State>

const read = {
  any: [
    { subject: 'DigitalTwin', action: 'read' },
    { subject: 'VirtualDevice', action: 'read' },
    { subject: 'DigitalTwinStates', action: 'read' },
  ],
} as const
const write = {
  any: [
    { subject: 'DigitalTwin', action: 'write' },
    { subject: 'VirtualDevice', action: 'write' },
  ],
} as const

/** Values are partitioned by month: implausibly old times would create useless partitions. */
function isOfOurAge(time: string): boolean {
  return Date.parse(time) >= 0
}

export const state = {
  create: operation
    .meta({ rule: write })
    .route({
      method: 'POST',
      path: '/digitaltwin/states',
      tags: ['states'],
      summary: 'Create a state',
      successStatus: 201,
    })
    .input(sourced({ dtwinId: Id, key: StateKey, ...StateFields }, settingsOf))
    .output(State),
  get: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/digitaltwin/states/{id}', tags: ['states'], summary: 'Read a state' })
    .input(z.object({ id: Id }))
    .output(State),
  update: operation
    .meta({ rule: write })
    .route({ method: 'PUT', path: '/digitaltwin/states/{id}', tags: ['states'], summary: 'Change a state' })
    .input(
      sourced(
        {
          id: Id,
          version: Version,
          /** may be sent, but not changed (DTWIN_STATE_KEY_IMMUTABLE) */
          key: StateKey.optional(),
          /**
           * What a new unit of the list means. `label`: the values have been in this unit. `values`: they are in the old one,
           * and are converted with those of states that copy them; bounds and thresholds of the input are in the new unit.
           */
          unitChange: z.enum(['label', 'values']).default('label'),
          ...StateFields,
        },
        settingsOf,
      ),
    )
    .output(State),
  /** Refused with DTWIN_STATE_AGGREGATED while other states are computed from it. */
  delete: operation
    .meta({ rule: write })
    .route({
      method: 'DELETE',
      path: '/digitaltwin/states/{id}',
      tags: ['states'],
      summary: 'Delete a state',
    })
    .input(z.object({ id: Id }))
    .output(Done),
  /** Sets a value by hand; it is processed like any other value. */
  setValue: operation
    .meta({ rule: write })
    .route({
      method: 'PUT',
      path: '/digitaltwin/states/{id}/value',
      tags: ['states'],
      summary: 'Set a value',
    })
    .input(z.object({ id: Id, value: Value, time: Time.refine(isOfOurAge, 'before 1970').optional() }))
    .output(State),
  order: operation
    .meta({ rule: write })
    .route({
      method: 'PUT',
      path: '/digitaltwin/states/order',
      tags: ['states'],
      summary: 'Order the states of a twin',
    })
    .input(z.object({ dtwinId: Id, stateIds: z.array(Id).max(1000) }))
    .output(Done),
  /** States that are computed from this one. */
  linkedAggregations: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/digitaltwin/states/{id}/linked-aggregations',
      tags: ['states'],
      summary: 'Where a state is aggregated',
    })
    .input(z.object({ id: Id }))
    .output(
      z.object({
        items: z.array(z.object({ stateId: Id, title: z.string(), twinId: Id, twinTitle: z.string() })),
      }),
    ),
  /** The value that an aggregate of these states would have now. */
  aggregateValue: operation
    .meta({ rule: read, look: 'asks' })
    .route({
      method: 'POST',
      path: '/digitaltwin/states/aggregate/value',
      tags: ['states'],
      summary: 'Preview an aggregate',
    })
    .input(z.object({ stateIds: z.array(Id).min(1).max(500), method: AggregationMethod }))
    .output(
      z.object({
        value: Value.nullable(),
        inputs: z.array(
          z.object({ stateId: Id, title: z.string(), value: Value.nullable(), time: Time.nullable() }),
        ),
      }),
    ),
  /**
   * The states that an aggregate by query of this twin would have now, with its value: those of the account that the scope
   * of the twin and the rights of the caller reach, without those that depend on `stateId`.
   */
  aggregateMembers: operation
    .meta({ rule: read, clientTimeoutMs: 25_000, look: 'asks' })
    .route({
      method: 'POST',
      path: '/digitaltwin/states/aggregate/members',
      tags: ['states'],
      summary: 'Preview an aggregate by query',
    })
    .input(
      z.object({
        dtwinId: Id,
        /** the aggregate, if it is stored */
        stateId: Id.optional(),
        query: StateQuery,
        method: AggregationMethod,
        stale: Stale.optional(),
        offset: z.int().min(0).max(memberLimits.membersMax).default(0),
        limit: z.int().min(1).max(100).default(20),
      }),
    )
    .output(
      z.object({
        value: Value.nullable(),
        /** members with a value, and among these the ones that are too old to count as usual */
        valued: z.int(),
        stale: z.int(),
        /** left out because they are computed from the aggregate */
        looping: z.int(),
        items: z.array(
          z.object({
            stateId: Id,
            title: z.string(),
            unit: z.string(),
            decimals: z.int().nullable(),
            twinId: Id,
            twinTitle: z.string(),
            value: Value.nullable(),
            time: Time.nullable(),
          }),
        ),
        total: z.int(),
        offset: z.int(),
        limit: z.int(),
      }),
    ),
  /** The value that these settings of `timeseries-aggregate` would give now, with the period it is computed from. */
  windowValue: operation
    .meta({ rule: read, look: 'asks' })
    .route({
      method: 'POST',
      path: '/digitaltwin/states/timeseries-aggregate/value',
      tags: ['states'],
      summary: 'Preview an aggregate of a time series',
    })
    .input(timeseriesAggregate)
    .output(
      z.object({
        /** null: the period has no values, or too many of its roll-ups are not computed yet */
        value: Value.nullable(),
        /** null for `valueDifference` */
        period: z.object({ from: Time, to: Time }).nullable(),
        /** values in the period, of any type */
        count: z.int(),
      }),
    ),
  /** Whether feeding `stateId` from `stateIds` would create a loop. */
  checkForAggregateLoop: operation
    .meta({ rule: read, look: 'asks' })
    .route({
      method: 'POST',
      path: '/digitaltwin/states/checkForAggregateLoop',
      tags: ['states'],
      summary: 'Check for a loop',
    })
    .input(z.object({ stateId: Id, stateIds: z.array(Id).max(500) }))
    .output(z.object({ loop: z.boolean() })),
  /** Finds states for selection (rules, widgets, aggregates): by title, key or twin title. */
  search: operation
    .meta({ rule: read, reads: 'replica' })
    .route({ method: 'GET', path: '/digitaltwin/states', tags: ['states'], summary: 'Find states' })
    .input(
      z.object({
        search: z.string().max(200).optional(),
        dtwinId: Id.optional(),
        category: z.enum(['digitalTwin', 'virtualDevice']).optional(),
        offset: z.int().min(0).default(0),
        limit: z.int().min(1).max(200).default(20),
      }),
    )
    .output(
      z.object({
        items: z.array(
          z.object({
            id: Id,
            key: z.string(),
            title: z.string(),
            unit: z.string(),
            valueType: ValueType,
            twinId: Id,
            twinTitle: z.string(),
            category: z.enum(['digitalTwin', 'virtualDevice']),
            value: Value.nullable(),
            time: Time.nullable(),
          }),
        ),
        total: z.int(),
        offset: z.int(),
        limit: z.int(),
      }),
    ),
}

/** Used by the console: JSON typed by a user, or the text itself if it is not valid JSON. */
export const ValueInput = Json
