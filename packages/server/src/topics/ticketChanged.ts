import * as z from 'zod'
import { defineTopic } from '../platform/events/topic.ts'

const TicketChanged = z.object({
  ticketId: z.int(),
  what: z.enum(['created', 'assigned', 'state', 'comment', 'joined']),
  /** who did it; null: a program */
  by: z.int().nullable(),
  /** of a comment */
  text: z.string().default(''),
  /** of `assigned`: whose it is now; of `state`: 0 to do, 1 in progress, 2 done */
  to: z.int().nullable().default(null),
  /** ISO 8601 */
  at: z.string(),
})

export type TicketChanged = z.infer<typeof TicketChanged>

/** Something happened to a ticket that others want to hear of. */
export const ticketChanged = defineTopic({ name: 'ticket.changed', version: 1, schema: TicketChanged })
