import { timeseriesAggregate, type WindowOperation } from '@leitstand/contract/states'
import { type Span, spanOf } from '@leitstand/contract/states/periods'

/** What a state of the source `timeseries-aggregate` computes. */
export interface WindowSettings {
  operation: WindowOperation
  /** null for `valueDifference` */
  span: Span | null
  aligned: boolean
}

/** The stored settings of a source; null if they are not complete. */
export function windowOf(settings: unknown): WindowSettings | null {
  const { success, data } = timeseriesAggregate.safeParse(settings)
  if (!success || data.operation === undefined) return null
  const { operation, period, aligned = false } = data
  if (operation === 'valueDifference') return { operation, span: null, aligned: false }
  return period === undefined ? null : { operation, span: spanOf(period), aligned }
}
