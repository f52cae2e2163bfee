import * as z from 'zod'
import { ticketLimits, ticketPriorities, ticketTypes } from '../../tickets.ts'

/**
 * Makes a ticket about the twin of the rule, or for a device about the twin it is below, unless one of the rule is still open
 * there. Texts may contain placeholders.
 */
export const TicketAction = z.object({
  kind: z.literal('ticket'),
  type: z.enum(ticketTypes),
  subject: z.string().trim().min(1).max(ticketLimits.subjectMax),
  comment: z.string().max(1000).default(''),
  priority: z.enum(ticketPriorities).default('normal'),
})
export type TicketAction = z.infer<typeof TicketAction>
