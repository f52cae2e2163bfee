import { childrenMax, type Metric, type RelatedMetric } from '@leitstand/contract/rules'
import type { Issue } from '../../types.ts'
import type { MetricKind } from '../types.ts'

/** The states of metrics that name them by key, by alias, on one twin. */
export type Related = ReadonlyMap<string, readonly number[]>

export function isRelated(metric: Metric): metric is RelatedMetric {
  return metric.operation === 'related'
}

/** Problems with the metric itself. Paths are below the metric. */
export function checkRelated(metric: RelatedMetric, kinds: Readonly<Record<string, MetricKind>>): Issue[] {
  const { of, over, across, stateKey: _, operation: __, ...common } = metric
  const issues = kinds[over]?.check({ ...common, operation: over, stateId: 0 }) ?? []
  if ((of === 'children') !== (across !== undefined))
    issues.push({ path: ['across'], message: 'for children, and only for these, their values are combined' })
  return issues
}

/** Why a metric has no value although its states have: there are too many. */
export const tooManyChildren = `more than ${childrenMax} children`
