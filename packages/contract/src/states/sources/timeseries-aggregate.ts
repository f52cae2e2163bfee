import { aggregate } from './aggregate.ts'

/** An aggregate of time series. */
export const timeseriesAggregate = aggregate
