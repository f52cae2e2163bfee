import type { JsonValue } from '@leitstand/contract/common'
import type { Metric, StateMetric } from '@leitstand/contract/rules'
import type { RawBuilder } from 'kysely'
import type { Use } from '../../../platform/uses.ts'
import type { EdgeName } from '../../series/index.ts'
import type { Issue } from '../types.ts'
import type { WindowSummary } from '../windows/types.ts'

/**
 * How to look back at one state: return one value of the window, or compute a number from all of them. SQL
 * for a number sees the columns `time` and `number`: true as 1 and false as 0, null for texts and JSON.
 */
export type Look = { value: 'newest' | 'oldest' } | { number: RawBuilder<number | null> }

/** How the same number follows from the summary of a window, which is kept in memory or read from roll-ups. */
export interface FromSummary {
  readonly edges: readonly EdgeName[]
  /** null: no number */
  number(summary: WindowSummary): number | null
}

/** What a metric without a state can tell: the twin of the rule, and the clock of its account. */
export interface Place {
  timeZone: string
  keyValues: Readonly<Record<string, string>>
  latitude: number | null
  longitude: number | null
}

/** One kind of metric without a state: a folder next to this file. */
export interface OwnMetricKind<M extends Metric> {
  /** Problems with the metric itself. Paths are below the metric. */
  check(metric: M): Issue[]
  /** Pure. null: there is no value. */
  value(metric: M, place: Place, at: Date): JsonValue
}

/** One kind of metric of a state: a folder next to this file. */
export interface MetricKind {
  readonly look: Look
  /** absent: every value of a window must be read */
  readonly fromSummary?: FromSummary
  /** the same number from all numbers of a window, if there is no summary that is enough */
  readonly fromNumbers?: (numbers: readonly number[]) => number | null
  /** without minutes to look back at, its value is the current value of the state */
  readonly isCurrent: boolean
  /** its value is one of the state, with the state's decimals; a count is not */
  readonly isOfState: boolean
  /** Problems with the metric itself. Paths are below the metric. */
  check(metric: StateMetric): Issue[]
  uses(metric: StateMetric): Use[]
}
