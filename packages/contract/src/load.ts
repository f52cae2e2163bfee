import * as z from 'zod'
import { operation } from './common.ts'
import { may } from './permissions.ts'

/** How long the server's event loop was held in the last seconds; while it is held nobody is answered. */
export const EventLoop = z.object({
  /** milliseconds */
  p50: z.number(),
  p99: z.number(),
  max: z.number(),
  /** it is held more than rarely: everybody waits */
  isSlow: z.boolean(),
  /** what was begun last before the longest holds, the longest first */
  longest: z.array(z.object({ operation: z.string(), ms: z.number() })),
})

export const systemLoad = {
  /** How busy the node that answers is. */
  load: operation
    .meta({ rule: may('super.system', 'manage') })
    .route({ method: 'GET', path: '/system/load', tags: ['system'], summary: 'Load of the server' })
    .output(z.object({ eventLoop: EventLoop })),
}
