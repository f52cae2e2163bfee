import { aggregate } from './aggregate.ts'

/** An aggregate of states of devices. */
export const virtualDeviceAggregate = aggregate
