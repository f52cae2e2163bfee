import * as z from 'zod'
import { Id, operation, Paging, pageOf, Time } from './common.ts'
import { may } from './permissions.ts'

/** Maximum parked events per call. */
const idsMax = 1_000
/** Characters of a payload that are returned. */
export const parkedPayloadMax = 4_000

/** An event that a consumer could not handle after several attempts. */
export const ParkedEvent = z.object({
  id: Id,
  consumer: z.string(),
  topic: z.string(),
  /** null: it concerns the whole platform */
  accountId: Id.nullable(),
  accountName: z.string().nullable(),
  /** JSON text, truncated after 4 000 characters */
  payload: z.string(),
  reason: z.string(),
  attempts: z.int(),
  parkedAt: Time,
  /** a retry was requested and is still pending */
  waits: z.boolean(),
})
export type ParkedEvent = z.infer<typeof ParkedEvent>

const manageSystem = may('super.system', 'manage')
const Chosen = z.object({ ids: z.array(Id).min(1).max(idsMax) })
const Count = z.object({ count: z.int() })

export const parkedEvents = {
  /** Newest first. */
  parkedEvents: operation
    .meta({ rule: manageSystem })
    .route({ method: 'GET', path: '/system/parked-events', tags: ['system'], summary: 'Parked events' })
    .input(z.object({ ...Paging, search: z.string().max(200).optional() }))
    .output(pageOf(ParkedEvent)),
  /** They are retried soon; those that fail again stay, with the new reason. */
  retryParkedEvents: operation
    .meta({ rule: manageSystem })
    .route({
      method: 'POST',
      path: '/system/parked-events/retry',
      tags: ['system'],
      summary: 'Try parked events again',
    })
    .input(Chosen)
    .output(Count),
  discardParkedEvents: operation
    .meta({ rule: manageSystem })
    .route({
      method: 'POST',
      path: '/system/parked-events/discard',
      tags: ['system'],
      summary: 'Discard parked events',
    })
    .input(Chosen)
    .output(Count),
}
