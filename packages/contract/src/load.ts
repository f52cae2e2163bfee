import * as z from 'zod'
import { operation } from './common.ts'
import { may } from './permissions.ts'

/** Event loop delays of the server in the last seconds; a blocked loop delays every request. */
export const EventLoop = z.object({
  /** milliseconds */
  p50: z.number(),
  p99: z.number(),
  max: z.number(),
  /** it is blocked more than rarely: all requests are delayed */
  isSlow: z.boolean(),
  /** the operation started last before each of the longest delays, longest first */
  longest: z.array(z.object({ operation: z.string(), ms: z.number() })),
})

export const systemLoad = {
  /** The load of the node that responds. */
  load: operation
    .meta({ rule: may('super.system', 'manage') })
    .route({ method: 'GET', path: '/system/load', tags: ['system'], summary: 'Load of the server' })
    .output(z.object({ eventLoop: EventLoop })),
}
