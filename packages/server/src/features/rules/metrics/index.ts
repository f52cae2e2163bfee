import type { JsonValue } from '@leitstand/contract/common'
import type { Metric, OwnOperation, StateMetric, StateOperation } from '@leitstand/contract/rules'
import type { Use } from '../../../platform/uses.ts'
import type { Issue } from '../types.ts'
import { avg } from './avg/index.ts'
import { clock } from './clock/index.ts'
import { count } from './count/index.ts'
import { difference } from './difference/index.ts'
import { first } from './first/index.ts'
import { latest } from './latest/index.ts'
import { max } from './max/index.ts'
import { median } from './median/index.ts'
import { min } from './min/index.ts'
import { position } from './position/index.ts'
import { property } from './property/index.ts'
import { checkRelated, isRelated, type Related } from './related/index.ts'
import { sum } from './sum/index.ts'
import type { MetricKind, OwnMetricKind, Place } from './types.ts'

/** Every kind of metric of a state. */
export const metricKinds: Readonly<Record<StateOperation, MetricKind>> = {
  latest,
  avg,
  min,
  max,
  sum,
  median,
  count,
  first,
  difference,
}

type Of<Op> = Extract<Metric, { operation: Op }>
type PlainOperation = Exclude<OwnOperation, 'related'>

/** Every kind of metric without a state. */
export const ownMetricKinds: { readonly [Op in PlainOperation]: OwnMetricKind<Of<Op>> } = {
  clock,
  property,
  position,
}

type OwnMetric = Of<PlainOperation>

export function isStateMetric(metric: Metric): metric is StateMetric {
  return 'stateId' in metric
}

/** Whether a metric is neither of a state nor of states that it names by key. */
export function isOwnMetric(metric: Metric): metric is OwnMetric {
  return !isStateMetric(metric) && !isRelated(metric)
}

/** Whether a metric reads one state, whichever it is on a twin. */
export function isOfOneState(metric: Metric): boolean {
  return isStateMetric(metric) || (isRelated(metric) && metric.of !== 'children')
}

/** The states that metrics read by their ids. */
export function statesOf(metrics: readonly Metric[]): number[] {
  return metrics.filter(isStateMetric).map(({ stateId }) => stateId)
}

/** Keys of the states of the twin itself that metrics name. */
export function ownKeysOf(metrics: readonly Metric[]): string[] {
  return metrics.filter(isRelated).flatMap(({ of, stateKey }) => (of === 'own' ? [stateKey] : []))
}

/** Problems with a metric itself. Paths are below the metric. */
export function checkMetric(metric: Metric): Issue[] {
  if (isRelated(metric)) return checkRelated(metric, metricKinds)
  return isStateMetric(metric) ? metricKinds[metric.operation].check(metric) : ownKind(metric).check(metric)
}

export function usesOfMetric(metric: Metric): Use[] {
  return isStateMetric(metric) ? metricKinds[metric.operation].uses(metric) : []
}

/** Pure. The value of a metric without a state. */
export function ownValue(metric: OwnMetric, place: Place, at: Date): JsonValue {
  return ownKind(metric).value(metric, place, at)
}

function ownKind({ operation }: OwnMetric): OwnMetricKind<OwnMetric> {
  return ownMetricKinds[operation] as OwnMetricKind<OwnMetric>
}

/**
 * The state whose decimals a metric's value has: none for a count, and for what a transformer returns.
 * @param related the states of metrics that name them by key
 */
export function decimalsStateOf(metric: Metric, related: Related): number | undefined {
  if (metric.transformer?.trim()) return undefined
  if (isStateMetric(metric)) return metricKinds[metric.operation].isOfState ? metric.stateId : undefined
  if (!isRelated(metric) || metric.across === 'count' || !metricKinds[metric.over].isOfState) return undefined
  return related.get(metric.alias)?.[0]
}

/** Whether the value of a metric is the current one of its state. */
export function isCurrentMetric({ operation, lastMinutes }: StateMetric): boolean {
  return metricKinds[operation].isCurrent && lastMinutes === undefined
}
