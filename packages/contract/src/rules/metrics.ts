import * as z from 'zod'
import { Id, limits } from '../common.ts'
import { avg } from './metrics/avg.ts'
import { clock } from './metrics/clock.ts'
import { count } from './metrics/count.ts'
import { difference } from './metrics/difference.ts'
import { first } from './metrics/first.ts'
import { latest } from './metrics/latest.ts'
import { max } from './metrics/max.ts'
import { median } from './metrics/median.ts'
import { min } from './metrics/min.ts'
import { position } from './metrics/position.ts'
import { property } from './metrics/property.ts'
import { related } from './metrics/related.ts'
import { sum } from './metrics/sum.ts'
import { Alias } from './operand.ts'

/** Fields of every metric. */
const common = {
  alias: Alias,
  lastValues: z.int().min(1).max(10_000).optional(),
  lastMinutes: z.int().min(1).max(527_040).optional(),
  /** function body with `value`; returns the new value */
  transformer: z.string().max(limits.scriptLengthMax).optional(),
  abortIfNull: z.boolean().default(true),
}

/**
 * The kinds of metrics, distinguished by `operation`, with the fields that identify their state; the last ones have
 * none. Add new kinds to this list.
 */
function kindsOf<S extends z.ZodRawShape>(state: S) {
  return [
    z.object({ ...common, ...latest, ...state }),
    z.object({ ...common, ...avg, ...state }),
    z.object({ ...common, ...min, ...state }),
    z.object({ ...common, ...max, ...state }),
    z.object({ ...common, ...sum, ...state }),
    z.object({ ...common, ...median, ...state }),
    z.object({ ...common, ...count, ...state }),
    z.object({ ...common, ...first, ...state }),
    z.object({ ...common, ...difference, ...state }),
    z.object({ ...common, ...clock }),
    z.object({ ...common, ...property }),
    z.object({ ...common, ...position }),
  ] as const
}

/** Metrics of a rule of a template, whose states are those of the device. */
export function templateMetricOf<S extends z.ZodRawShape>(state: S) {
  return z.discriminatedUnion('operation', [...kindsOf(state)])
}

/** Metrics of a rule, with the fields that identify the state. */
export function metricOf<S extends z.ZodRawShape>(state: S) {
  return z.discriminatedUnion('operation', [...kindsOf(state), z.object({ ...common, ...related })])
}

/**
 * A number, text or boolean that a rule evaluates: a state's latest value, or an operation over its last n
 * values or last x minutes; or something else about its twin and the moment. With `abortIfNull` the evaluation is aborted when there is no value.
 */
export const Metric = metricOf({ stateId: Id })
export type Metric = z.infer<typeof Metric>

/** A metric of states that it names by their key. */
export type RelatedMetric = Extract<Metric, { operation: 'related' }>

/** A metric of a state. */
export type StateMetric = Extract<Metric, { stateId: number }>

export type MetricOperation = Metric['operation']
export type StateOperation = StateMetric['operation']
export type OwnOperation = Exclude<MetricOperation, StateOperation>
