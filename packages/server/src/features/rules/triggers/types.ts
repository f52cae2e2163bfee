import type { Metric } from '@leitstand/contract/rules'
import type { Context } from '../../../platform/context.ts'
import type { SeriesFeature } from '../../series/index.ts'
import type { RuleCache } from '../cache.ts'
import type { Wake } from '../wakes.ts'

export interface TriggerTools {
  ctx: Context
  series: SeriesFeature
  cache: RuleCache
  /** Evaluates rules in one transaction, in this order. */
  run(wakes: readonly Wake[]): Promise<void>
}

/** One kind of trigger: a folder next to this file. */
export interface Trigger {
  /** States whose values wake the rule. */
  states(rule: { metrics: readonly Metric[] }): number[]
  /**
   * Starts waking rules.
   * @returns its consumer of events, for replays and tests
   */
  start(tools: TriggerTools): (events: never[]) => Promise<void>
}
