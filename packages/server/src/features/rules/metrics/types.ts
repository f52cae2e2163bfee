import type { Metric } from '@leitstand/contract/rules'
import type { RawBuilder } from 'kysely'
import type { Use } from '../../../platform/uses.ts'
import type { Issue } from '../types.ts'

/**
 * How to look back at one state: return one value of the window, or compute a number from all of them. SQL
 * for a number sees the columns `time` and `number`: true as 1 and false as 0, null for texts and JSON.
 */
export type Look = { value: 'newest' | 'oldest' } | { number: RawBuilder<number | null> }

/** One kind of metric: a folder next to this file. */
export interface MetricKind {
  readonly look: Look
  /** without minutes to look back at, its value is the current value of the state */
  readonly isCurrent: boolean
  /** its value is one of the state, with the state's decimals; a count is not */
  readonly isOfState: boolean
  /** Problems with the metric itself. Paths are below the metric. */
  check(metric: Metric): Issue[]
  uses(metric: Metric): Use[]
}
