import type { Metric, MetricOperation } from '@leitstand/contract/rules'
import { avg } from './avg/index.ts'
import { count } from './count/index.ts'
import { difference } from './difference/index.ts'
import { first } from './first/index.ts'
import { latest } from './latest/index.ts'
import { max } from './max/index.ts'
import { median } from './median/index.ts'
import { min } from './min/index.ts'
import { sum } from './sum/index.ts'
import type { MetricKind } from './types.ts'

/** Every kind of metric. */
export const metricKinds: Readonly<Record<MetricOperation, MetricKind>> = {
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

/** Whether a metric's value has the decimals of its state: not a count, nor what a transformer returns. */
export function hasStateDecimals({ operation, transformer }: Metric): boolean {
  return metricKinds[operation].isOfState && !transformer?.trim()
}

/** Whether the value of a metric is the current one of its state. */
export function isCurrentMetric({ operation, lastMinutes }: Metric): boolean {
  return metricKinds[operation].isCurrent && lastMinutes === undefined
}
