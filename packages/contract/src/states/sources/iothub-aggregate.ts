import { aggregate } from './aggregate.ts'

/** An aggregate of states of the data hub. */
export const iothubAggregate = aggregate
